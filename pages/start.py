import streamlit as st

from app.components.notices import notices
from app.components.sentence_box import draw_facts, facts_of, offer_default_model
from app.i18n import _
from app.sections.start.foot import draw_foot
from app.sections.start.guess import draw_guess
from app.sections.start.picture import draw_picture
from app.sections.start.sentence import draw_sentence_row
from app.services import ask, title_of
from app.state import current_settings
from core.inference import AttendRequest

st.title(_("See a transformer think"))
st.caption(_("Type a sentence. Every head of every layer, at once; hover one to read it."))
text, facts, status = draw_sentence_row()
settings = current_settings()

with st.container(key="picture"), notices(way_out=offer_default_model):
    request = AttendRequest(settings.model, text)
    result = ask(request, status)
    draw_facts(facts, facts_of(result, title_of(settings.model)))
    draw_picture(request, result, status)
    draw_guess(settings.model, result.encoding)
    draw_foot(settings.model, text)
