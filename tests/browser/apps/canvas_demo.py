"""The attention canvas alone on a page, over random maps; `?case=` chooses what is drawn."""

import streamlit as st

from app.parts.attention_canvas import attention_canvas, encode
from app.parts.attention_channel import answer_to, asked, attention_channel
from app.parts.attention_settings import CanvasSettings
from tests.attention_maps import identity_of
from tests.browser.apps.canvas_cases import SUGGESTIONS, case_of


def draw(case: str, key: str, settings: CanvasSettings) -> None:
    """One canvas over the maps of a case."""
    offered = [SUGGESTIONS] if case == "sentence" else []
    attention_canvas(encode(case_of(case), settings, suggestions=offered), key=key)


def draw_layers(case: str, key: str, settings: CanvasSettings) -> None:
    """A canvas that gets its layers as it asks for them."""
    written = st.query_params.get("layer", "")
    layers = [int(written) if written.isdecimal() else settings.layer]
    attention_canvas(encode(case_of(case), settings, layers=layers), key=key)
    draw_channel(case, settings.channel)


@st.fragment
def draw_channel(case: str, key: str) -> None:
    """Answers for the maps of a case: whole layers, and exact rows."""
    [maps] = case_of(case)
    attention_channel(answer_to(asked(key), {identity_of(maps): maps}), key=key, page="")


def page() -> None:
    """What the address asks for, with a button that sends another text under the same key."""
    case = st.query_params.get("case", "sentence")
    if case == "broken":
        attention_canvas(b"WIRE" + bytes(40), key="canvas")
    elif case in {"layers", "long"}:
        again = st.button("Once more")
        token = 10 if case == "layers" else None
        draw_layers(case, "canvas", CanvasSettings(2, 1, token, channel="canvas-channel"))
        if again:
            st.text("Drawn once more")
    elif case == "two channels":
        draw_layers("layers", "left", CanvasSettings(2, 1, 10, url_prefix="l-", channel="left-c"))
        draw_layers("other", "right", CanvasSettings(2, 1, 10, url_prefix="r-", channel="right-c"))
    elif case == "twice":
        draw("sentence", "left", CanvasSettings(layer=2, head=1, token=10, url_prefix="left-"))
        draw("sentence", "right", CanvasSettings(layer=3, head=5, token=13, url_prefix="right-"))
    else:
        case = "sets" if st.button("Another text") else case
        token = 10 if case == "sentence" else None
        draw(case, "canvas", CanvasSettings(layer=2, head=1, token=token))


def other_page() -> None:
    """The canvas below another address than the root."""
    draw("sentence", "canvas", CanvasSettings(layer=2, head=1, token=10))


st.set_page_config(layout="wide")
st.navigation(
    [
        st.Page(page, title="Canvas", default=True),
        st.Page(other_page, title="Attention heads", url_path="attention"),
    ]
).run()
