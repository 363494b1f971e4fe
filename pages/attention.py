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
from core.inference import AttendRequest

with st.container(key="attention", gap="xsmall"):
    tool, model = draw_title_row()
    text, pair, facts, status = draw_sentence_row(pairs=model.reads_pairs)
    answered = None
    with st.container(key="explorer-picture", gap="xsmall"), notices(way_out=offer_default_model):
        request = AttendRequest(model.name, text, pair)
        result = ask(request, status)
        answered = request
        draw_attention_facts(facts, result, model.title)
        if tool:
            draw_bertviz(result, tool)
        else:
            draw_picture(request, result)
        draw_foot(request, result.encoding, status)
    with facts:
        draw_scenes(answered, status)
