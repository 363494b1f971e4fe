import streamlit as st

from app.components.notices import notices
from app.components.sentence_box import offer_default_model
from app.sections.attention.bertviz import draw_bertviz
from app.sections.attention.foot import draw_foot
from app.sections.attention.picture import draw_picture, draw_scenes
from app.sections.attention.sentence import (
    draw_attention_facts,
    draw_sentence_row,
    draw_title_row,
)
from app.services import ask
from app.state import current_settings
from core.inference import AttendRequest

with st.container(key="attention", gap="xsmall"):
    tool = draw_title_row()
    text, pair, facts, status = draw_sentence_row()
    model = current_settings().model
    answered = None
    with st.container(key="explorer-picture", gap="xsmall"), notices(way_out=offer_default_model):
        request = AttendRequest(model, text, pair)
        result = ask(request, status)
        answered = request
        draw_attention_facts(facts, result, model)
        if tool:
            draw_bertviz(result, tool)
        else:
            draw_picture(request, result)
        draw_foot(request, status)
    with facts:
        draw_scenes(answered, status)
