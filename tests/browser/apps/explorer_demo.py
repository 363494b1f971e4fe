"""The attention explorer alone on a page, over random maps; `?case=` chooses what is drawn."""

import streamlit as st

from app.parts.attention_canvas import attention_canvas, encode
from app.parts.attention_channel import answer_to, asked, attention_channel
from app.parts.attention_settings import CanvasSettings
from tests.attention_maps import identity_of
from tests.browser.apps.explorer_cases import explorer_case

CHANNEL = "explorer-channel"


@st.fragment
def draw_channel(case: str) -> None:
    """Exact rows of the maps, what is measured on them, and similar heads."""
    [maps] = explorer_case(case)
    attention_channel(answer_to(asked(CHANNEL), {identity_of(maps): maps}), key=CHANNEL)


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
        attention_canvas(encode(sets, settings), key=key)
    if case == "sentence":
        draw_channel(case)


st.set_page_config(layout="wide")
page()
