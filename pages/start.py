import streamlit as st

from app.ask import ask
from app.i18n import _
from app.parts.model_picker import ONE_TEXT, model_notice, model_picker
from app.parts.notices import notices
from app.parts.sentence_box import draw_facts, facts_of, offer_default_model
from app.sections.start.foot import draw_foot
from app.sections.start.guess import draw_guess, say_no_guess
from app.sections.start.picture import draw_picture
from app.sections.start.sentence import draw_sentence_row
from core.engine import call
from core.tasks import attend

with st.container(horizontal=True, vertical_alignment="center", key="page-title"):
    st.title(_("See a transformer think"), width="stretch")
    model = model_picker(ONE_TEXT)
model_notice(ONE_TEXT)
st.caption(_("Type a sentence. Every head of every layer, at once; hover one to read it."))
text, facts, status = draw_sentence_row()

with st.container(key="picture"), notices(way_out=offer_default_model):
    question = call(attend, model.name, text)
    result = ask(question, status)
    draw_facts(facts, facts_of(result, model.title), result.encoding)
    draw_picture(question, result, status)
    if model.guesses_hidden_words:
        draw_guess(model.name, result.encoding)
    else:
        say_no_guess(model.title)
    draw_foot(model.name, result.encoding)
