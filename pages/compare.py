from functools import partial

import streamlit as st

from app.parts.notices import notices
from app.sections.compare.foot import draw_foot, offer_way_out
from app.sections.compare.guesses import draw_guesses
from app.sections.compare.maps import draw_maps
from app.sections.compare.reading import read_both
from app.sections.compare.sides import draw_choice, draw_heads, draw_language, say_same
from app.sections.scenes import draw_scene_keys
from app.state import settle

sides, places = draw_choice()
settle()
if sides is not None:
    with st.container(key="compare"), notices(partial(offer_way_out, sides=sides)):
        sides = (draw_heads if sides.without_heads else draw_language)(sides, places)
        readings = read_both(sides, places.status)
        say_same(sides)
        with notices():
            draw_maps(readings, places)
            draw_guesses(readings)
        draw_foot(readings)
with places.facts:
    draw_scene_keys("compare", widgets=("text", "other_text"), canvas=True)
