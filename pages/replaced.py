from functools import partial

import streamlit as st

from app.i18n import _
from app.parts.model_picker import REPLACED_TOKENS, model_notice, model_picker
from app.parts.notices import notices
from app.parts.sentence_box import offer_default_model
from app.sections.replaced.board import draw_board, draw_model_facts, say_no_generator
from app.sections.replaced.foot import draw_foot
from app.sections.replaced.reading import generator_of
from app.sections.replaced.sentence import draw_controls, draw_sentence_row
from app.sections.scenes import draw_scene_keys
from app.state import current_settings, settle

WIDGETS = ("text", "seed", "mark_first")

with st.container(horizontal=True, vertical_alignment="center", key="page-title"):
    st.title(_("Spot the replaced"), width="stretch")
    model = model_picker(REPLACED_TOKENS)
model_notice(REPLACED_TOKENS)
with st.container(horizontal=True, vertical_alignment="center", key="replaced-scenes"):
    st.caption(_("Some words are not the writer’s. ELECTRA says of every token whether it is."))
    draw_scene_keys("replaced", widgets=WIDGETS, canvas=True)

way_out = partial(offer_default_model, default=REPLACED_TOKENS.default)
with st.container(key="replaced-page", gap="small"):
    text, facts, status = draw_sentence_row(hidden=current_settings().mark_first)
    generator = generator_of(model.name)
    who = draw_controls(generator=generator is not None)
    with notices(way_out=way_out):
        look = draw_board(model, generator, text, who, status)
        if generator is None:
            say_no_generator(model)
        draw_model_facts(facts, model, look, status)
        draw_foot(model, look)
settle()
