"""The attention canvas alone on a page, over random maps; `?case=` chooses what is drawn."""

import streamlit as st

from app.components.attention_canvas import asked_layers, attention_canvas, canvas_strings
from app.components.attention_payload import CanvasSettings, encode
from tests.browser.apps.canvas_cases import case_of


def draw(case: str, key: str, settings: CanvasSettings) -> None:
    """One canvas over the maps of a case."""
    attention_canvas(encode(case_of(case), strings=canvas_strings(), settings=settings), key=key)


@st.fragment
def draw_layers(case: str, settings: CanvasSettings) -> None:
    """A canvas that gets its layers as it asks for them."""
    written = st.query_params.get("layer", "")
    layers = asked_layers("canvas") or [int(written) if written.isdecimal() else settings.layer]
    payload = encode(case_of(case), strings=canvas_strings(), settings=settings, layers=layers)
    attention_canvas(payload, key="canvas", on_layers_change=lambda: None)


def page() -> None:
    """What the address asks for, with a button that sends another text under the same key."""
    case = st.query_params.get("case", "sentence")
    if case == "broken":
        attention_canvas(b"HLAM" + bytes(40), key="canvas")
    elif case == "reporting":
        payload = encode(case_of("one"), strings=canvas_strings(), settings=CanvasSettings())
        chosen = attention_canvas(payload, key="canvas", on_token_change=lambda: None)
        st.write(f"Chosen: {chosen}")
    elif case in {"layers", "long"}:
        st.button("Once more")
        draw_layers(case, CanvasSettings(layer=2, head=1, token=10 if case == "layers" else None))
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
