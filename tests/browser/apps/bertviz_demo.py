"""BertViz's views alone on a page; `?case=` chooses the text, `?tool=` the view."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from app.sections.attention.bertviz import draw_bertviz

MARKUP = "</script><img src=x onerror=alert(1)>"
CASES = {
    "short": (6, 12, ["[CLS]", "the", "cat", "&amp;", MARKUP, "Ġsat", "\u2028", "[SEP]"], None),
    "pair": (6, 12, ["[CLS]", "a", "b", "[SEP]", "c", "d", "e", "[SEP]"], 4),
    "long": (6, 12, [f"token{number}" for number in range(70)], None),
    "too long": (6, 12, [f"token{number}" for number in range(140)], None),
}


@dataclass
class FakeEncoding:
    """The two facts of an encoding that are drawn."""

    pieces: tuple[str, ...]
    segments: tuple[int, ...]


@dataclass
class FakeMap:
    """One kind of attention of a text onto itself."""

    query: FakeEncoding
    patterns: Any
    name: str = "encoder"


@dataclass
class FakeResult:
    """What a forward pass would have given."""

    encoding: FakeEncoding
    patterns: Any

    @property
    def maps(self) -> tuple[FakeMap, ...]:
        """The one kind that there is."""
        return (FakeMap(self.encoding, self.patterns),)


def result_of(case: str) -> Any:
    """Random weights over the tokens of a case."""
    layers, heads, tokens, second = CASES[case]
    count = len(tokens)
    scores = 2 * np.random.default_rng(0).normal(size=(layers, heads, count, count))
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    segments = [int(second is not None and index >= second) for index in range(count)]
    encoding = FakeEncoding(tuple(tokens), tuple(segments))
    return FakeResult(encoding, weights.astype(np.float32))


def page() -> None:
    """One of the views of a case."""
    case = st.query_params.get("case", "short")
    draw_bertviz(result_of(case), st.query_params.get("tool", "heads"))


st.set_page_config(layout="wide")
st.navigation(
    [
        st.Page(page, title="BertViz", default=True),
        st.Page(page, title="Attention heads", url_path="attention"),
    ]
).run()
