import streamlit as st

from app.ask import ask
from app.i18n import _
from app.parts.model_picker import TRANSLATING, model_notice, model_picker
from app.parts.notices import notices
from app.sections.scenes import draw_scene_keys
from app.sections.translate.foot import draw_foot
from app.sections.translate.lengths import draw_lengths
from app.sections.translate.picture import draw_translation, draw_translation_facts, followed
from app.sections.translate.sentence import (
    draw_language,
    draw_padding,
    draw_search,
    draw_sentence,
    way_out,
)
from app.state import settle
from core.engine import call
from core.tasks.watch_translation import watch_translation

with st.container(horizontal=True, vertical_alignment="center", key="page-title"):
    st.title(_("Translate, one word at a time"), width="stretch")
    model = model_picker(TRANSLATING)
model_notice(TRANSLATING)
with st.container(key="translation"):
    row = st.container(horizontal=True, vertical_alignment="center", gap="small", key="sentence")
    with st.container(horizontal=True, vertical_alignment="center", key="translate-facts"):
        facts = st.container(key="facts", width="content")
        draw_scene_keys("translate", widgets=("text",), canvas=True)
    found = None
    with notices(way_out=way_out(TRANSLATING)):
        with row:
            text = draw_sentence()
            status = st.container(key="sentence-status").empty()
            language = draw_language(model, status)
            beams, padding = draw_search(), draw_padding()
        question = call(
            watch_translation, model.name, text, language=language, beams=beams, padding=padding
        )
        found = ask(followed(question), status)
        draw_translation_facts(facts, found, model)
        draw_translation(question, status)
        draw_lengths(language)
    draw_foot(model, found)
settle()
