import streamlit as st

from app.ask import ask
from app.i18n import _
from app.parts.model_picker import ALIGNING, model_notice, model_picker
from app.parts.notices import notices
from app.sections.alignment.foot import draw_foot
from app.sections.alignment.order import draw_order, places
from app.sections.alignment.scores import VECTORS, draw_scores
from app.sections.alignment.translation import draw_algorithm, own_score
from app.sections.scenes import draw_scene_keys
from app.sections.translate.lengths import draw_lengths
from app.sections.translate.picture import draw_translation, draw_translation_facts, followed
from app.sections.translate.sentence import draw_language, draw_search, draw_sentence, way_out
from app.state import settle
from core.engine import call
from core.tasks.watch_translation import watch_translation

with st.container(horizontal=True, vertical_alignment="center", key="page-title"):
    st.title(_("Alignment"), width="stretch")
    model = model_picker(ALIGNING)
model_notice(ALIGNING)
with st.container(key="translation"):
    row = st.container(horizontal=True, vertical_alignment="center", gap="small", key="sentence")
    with st.container(horizontal=True, vertical_alignment="center", key="translate-facts"):
        facts = st.container(key="facts", width="content")
        draw_scene_keys("alignment", widgets=("text", *VECTORS), canvas=True)
    translation, scores = places()
    own = None
    with translation, notices(way_out=way_out(ALIGNING)):
        with row:
            text = draw_sentence()
            status = st.container(key="sentence-status").empty()
            language, beams = draw_language(model, status), draw_search()
            draw_order()
        question = call(watch_translation, model.name, text, language=language, beams=beams)
        found = ask(followed(question), status)
        draw_translation_facts(facts, found, model)
        draw_algorithm(found)
        draw_translation(question, status)
        draw_lengths(language)
        own = own_score(found)
    with scores:
        draw_scores(own)
    draw_foot(model)
settle()
