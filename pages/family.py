import streamlit as st

from app.i18n import _
from app.parts.notices import notices
from app.sections.family.cards import draw_cards
from app.sections.family.family_card import family_depth
from app.sections.family.foot import draw_foot
from app.sections.family.layers import draw_layers
from app.sections.family.objectives import draw_objectives
from app.sections.family.orders import draw_orders
from app.sections.family.parameters import draw_parameters
from app.sections.family.sentence import draw_field, draw_words
from app.sections.family.spans import draw_spans
from app.sections.scenes import draw_scene_keys, picture_of_scene
from app.state import settle

with st.container(horizontal=True, vertical_alignment="center", key="page-title"):
    st.title(_("The BERT family"), anchor=False, width="stretch")
    with st.container(key="family-depth-room", width="content"):
        family_depth(picture_of_scene(), key="family-depth")
    draw_scene_keys("family", widgets=("text", "seed", "span", "shares"), canvas=True)
text, status = draw_field()
with st.container(key="family", gap="small"), notices():
    sentence = draw_words(text, status)
    draw_cards(sentence, status)
    draw_objectives(text)
    draw_parameters()
    draw_orders()
    draw_layers(text)
    draw_spans(sentence)
    draw_foot()
settle()
