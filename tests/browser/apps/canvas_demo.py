"""The attention canvas alone on a page, over random maps; `?case=` chooses what is drawn."""

import numpy as np
import streamlit as st

from app.components.attention_canvas import attention_canvas, canvas_strings
from app.components.attention_payload import CanvasSettings, MapSet, encode

SENTENCE = "[CLS] the animal didn ' t cross the street because it was too tired . [SEP]".split()
HOSTILE = "</script><img src=x onerror=alert(1)>"


def softmax_maps(*shape: int, seed: int = 0) -> np.ndarray:
    """Random maps with a few strong weights a row, as a trained model has them."""
    scores = 2.2 * np.random.default_rng(seed).standard_normal(shape)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (exponentials / exponentials.sum(axis=-1, keepdims=True)).astype(np.float32)


def square_set(tokens: list[str], layers: int, heads: int, **options: object) -> MapSet:
    """Maps of a text over itself."""
    special = [token.startswith("[") for token in tokens]
    weights = softmax_maps(layers, heads, len(tokens), len(tokens))
    return MapSet("encoder", weights, tokens, tokens, "", special, special, **options)


def words(count: int) -> list[str]:
    """A text of any length, with a special token at each end."""
    return ["[CLS]", *(f"word{index}" for index in range(count - 2)), "[SEP]"]


def several_sets() -> list[MapSet]:
    """An encoder of two layers, a decoder of four, and cross maps of 9 rows by 5 columns."""
    source, target = words(5), words(9)
    return [
        MapSet("encoder", softmax_maps(2, 3, 5, 5), source, source, "Encoder"),
        MapSet("decoder", softmax_maps(4, 2, 9, 9), target, target, "Decoder"),
        MapSet(
            "cross",
            softmax_maps(4, 2, 9, 5),
            target,
            source,
            "Cross",
            query_label="decoder",
            key_label="encoder",
        ),
    ]


def masked_set() -> MapSet:
    """A causal mask over six tokens whose first row may see nothing."""
    cells = np.triu(np.ones((6, 6), dtype=np.bool_))
    weights = np.where(cells, 0, softmax_maps(2, 2, 6, 6))
    weights = weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-9)
    weights[:, :, 0] = np.nan
    tokens = words(6)
    return MapSet("decoder", weights, tokens, tokens, masked_cells=cells)


CASES = {
    "sentence": lambda: [square_set(SENTENCE, 6, 12)],
    "twelve": lambda: [square_set(words(128), 12, 12)],
    "deep": lambda: [square_set(words(32), 24, 16)],
    "long": lambda: [square_set(words(512), 6, 12)],
    "sets": several_sets,
    "masked": lambda: [masked_set()],
    "hostile": lambda: [square_set(["[CLS]", HOSTILE, "שלום", "##ing", "👩‍🔬", "[SEP]"], 2, 4)],
    "one": lambda: [square_set(["word"], 1, 1)],
}


def draw(case: str, key: str, settings: CanvasSettings) -> None:
    """One canvas over the maps of a case."""
    attention_canvas(encode(CASES[case](), strings=canvas_strings(), settings=settings), key=key)


def page() -> None:
    """What the address asks for, with a button that sends another text under the same key."""
    case = st.query_params.get("case", "sentence")
    if case == "broken":
        attention_canvas(b"HLAM" + bytes(40), key="canvas")
    elif case == "reporting":
        payload = encode(CASES["one"](), strings=canvas_strings(), settings=CanvasSettings())
        chosen = attention_canvas(payload, key="canvas", on_token_change=lambda: None)
        st.write(f"Chosen: {chosen}")
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
