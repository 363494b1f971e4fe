"""The attention explorer alone on a page, over random maps; `?case=` chooses what is drawn."""

import streamlit as st

from app.parts.attention_canvas import attention_canvas, canvas_strings
from app.parts.attention_channel import Answer, CellAnswer, asked, attention_channel
from app.parts.attention_maps import MapSet
from app.parts.attention_payload import encode
from app.parts.attention_settings import CanvasSettings
from core.analysis.rows import measure_rows
from core.analysis.similarity import nearest_heads
from tests.browser.apps.explorer_cases import explorer_case

CHANNEL = "explorer-channel"


@st.fragment
def draw_channel(maps: MapSet) -> None:
    """Exact rows of the maps, what is measured on them, and similar heads."""
    question = asked(CHANNEL)
    cell = similar = None
    if question is not None and question.cell is not None:
        ask = question.cell
        rows = maps.weights[ask.layer, ask.head, list(ask.queries)]
        found = measure_rows(rows, ask.queries, [bool(mark) for mark in maps.key_special or ()])
        measures = {
            "sum": found.sum,
            "entropy": found.entropy,
            "mostEntropy": found.most_entropy,
            "distance": found.distance,
            "first": found.first,
            "separators": found.separators,
        }
        cell = CellAnswer(ask, rows, measures)
    if question is not None and question.similar is not None:
        head = question.similar
        similar = (head, nearest_heads(maps.weights, head.layer, head.head, count=5))
    answer = Answer() if question is None else Answer(question.number, cell=cell, similar=similar)
    attention_channel(answer, key=CHANNEL)


def page() -> None:
    """What the address asks for."""
    if st.query_params.get("present") == "1":
        st.html("<style>html { font-size: 20px }</style>")
    case = st.query_params.get("case", "sentence")
    sets = explorer_case(case)
    for key in ("left", "right") if case == "twice" else ("canvas",):
        settings = CanvasSettings(
            layer=2,
            head=1,
            token=10 if case == "sentence" else None,
            url_prefix="" if key == "canvas" else f"{key}-",
            layout="explorer",
            channel=CHANNEL if case == "sentence" else "",
        )
        attention_canvas(encode(sets, strings=canvas_strings(), settings=settings), key=key)
    if case == "sentence":
        draw_channel(sets[0])


st.set_page_config(layout="wide")
page()
