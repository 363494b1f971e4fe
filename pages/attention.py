import streamlit as st

from app.ask import ask
from app.parts.notices import notices
from app.parts.sentence_box import offer_default_model
from app.sections.attention.bertviz import draw_bertviz
from app.sections.attention.foot import draw_foot
from app.sections.attention.picture import draw_picture, draw_scenes
from app.sections.attention.sentence import (
    draw_attention_facts,
    draw_sentence_row,
    draw_target,
    draw_title_row,
    question_of,
)

with st.container(key="attention", gap="xsmall"):
    tool, model = draw_title_row()
    given, facts, status = draw_sentence_row(model)
    answered = None
    with st.container(key="explorer-picture", gap="xsmall"), notices(way_out=offer_default_model):
        question = question_of(model, given, status)
        result = ask(question, status)
        answered = question
        draw_attention_facts(facts, result, model.title)
        draw_target(result)
        if tool:
            draw_bertviz(result, tool)
        else:
            draw_picture(question, result)
        draw_foot(question, result)
    with facts:
        draw_scenes(answered, status)
