"""The channel of an attention canvas: what it asks for while it is open.

A component of no size that stands on the same page, in a fragment of its own: a question reruns
that fragment alone, and the answer comes without the maps being sent again. The canvas names the
channel in its settings; in the browser, ``channel.js`` joins the two.

An answer holds the bytes of whole layers as :func:`app.parts.attention_levels.quantise` makes
them, and exact rows in float32.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.components.v2.types import ComponentRenderer

from app.i18n import current_language
from app.parts.said import LARGEST_NUMBER, read_number, read_numbers, said
from app.parts.scripts import loader
from app.settings import Value
from app.wire import pack

MOST_LAYERS: Final = 100
MOST_QUERIES: Final = 512
LONGEST_NAME: Final = 64

# Streamlit takes a string without a line break for a file name.
_HTML: Final = """
<div class="attention-channel"></div>
"""

# An element of no height would still have a gap above it.
_STYLE: Final = """
[data-testid="stElementContainer"]:has(.attention-channel) {
  position: absolute;
  width: 0;
  visibility: hidden;
}
[data-testid="stLayoutWrapper"]:has(
  > [data-testid="stVerticalBlock"]
  > [data-testid="stElementContainer"]:only-child .attention-channel
) {
  position: absolute;
}
"""


@dataclass(frozen=True)
class HeadAsk:
    """Which heads are like this one; `set` is the identity of the maps."""

    set: str
    layer: int
    head: int


@dataclass(frozen=True)
class CellAsk:
    """Rows of a head, and the cell of a key in them; `set` is the identity of the maps."""

    set: str
    layer: int
    head: int
    queries: tuple[int, ...]
    key: int | None


@dataclass(frozen=True)
class Ask:
    """What a canvas asks for.

    Args:
        number: of the question.
        set: identity of the maps that the layers belong to; empty for whatever is shown.
        layers: whose weights are wanted.
        cell, similar: further questions, or None.
    """

    number: int
    set: str = ""
    layers: tuple[int, ...] = ()
    cell: CellAsk | None = None
    similar: HeadAsk | None = None


@dataclass(frozen=True, eq=False)
class CellAnswer:
    """Rows as the model computed them.

    Args:
        ask: what was asked.
        rows: ``[row, key]``, one for each query, float32.
        measures: numbers about the rows, by the name the canvas knows.
        breakdown: how the weight of the cell came about, by name, without the products.
        products: of query and key, one for each feature of the head; belongs to `breakdown`.
    """

    ask: CellAsk
    rows: NDArray[np.float32]
    measures: Mapping[str, float]
    breakdown: Mapping[str, float | bool | None] | None = None
    products: NDArray[np.float32] | None = None


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer to an :class:`Ask`.

    Args:
        number: of the question; 0 where nothing was asked.
        set: identity of the maps that the layers belong to.
        layers: bytes ``[head, query, key]`` of each layer.
        cell, similar: answers to the further questions; heads with their distance.
    """

    number: int = 0
    set: str = ""
    layers: Mapping[int, NDArray[np.uint8]] = field(default_factory=dict)
    cell: CellAnswer | None = None
    similar: tuple[HeadAsk, Sequence[tuple[int, int, float]]] | None = None


def attention_channel(
    answer: Answer,
    *,
    key: str,
    page: str | None = None,
    choose: tuple[int, Mapping[str, Value | None]] | None = None,
) -> None:
    """Draw the channel, which nobody sees; call it inside a fragment.

    Args:
        answer: to what :func:`asked` says.
        key: the name of the channel, which the canvas has in its settings.
        page: the end of the address at which it may ask; None for any.
        choose: settings that the canvas takes over, by name, with a number of their own: they are
            taken over once for each new number.
    """
    _component(current_language())(
        data=encode_answer(answer, key, choose, page), key=key, on_ask_change=lambda: None
    )


def asked(key: str) -> Ask | None:
    """What the canvas of this channel asked last; None before it did.

    The last question stays: an answer on its way may be overtaken by a run of the whole page, and
    then has to come with that one. The browser knows it by its number.
    """
    place = f"last question of {key}"
    for message in said(key, "ask")[-1:]:
        st.session_state[place] = read_ask(message) or st.session_state.get(place)
    last: Ask | None = st.session_state.get(place)
    return last


def read_ask(written: object) -> Ask | None:
    """A question as the browser wrote it; None where it means nothing.

    Parts that cannot be read are left out. The browser belongs to the reader: every number is
    bounded, and whether there is such a layer is for the maps to say.
    """
    if not isinstance(written, Mapping):
        return None
    number = read_number(written.get("number"), LARGEST_NUMBER)
    if not number:
        return None
    layers = read_numbers(written.get("layers"), MOST_LAYERS) or ()
    return Ask(
        number=number,
        set=_name(written.get("set")) or "",
        layers=tuple(dict.fromkeys(layers)),
        cell=_read_cell(written.get("cell")),
        similar=_read_head(written.get("similar")),
    )


def encode_answer(
    answer: Answer,
    channel: str,
    choose: tuple[int, Mapping[str, Value | None]] | None = None,
    page: str | None = None,
) -> bytes:
    """The message that the browser reads."""
    return pack(
        {
            "channel": channel,
            "page": page,
            "number": answer.number,
            "set": answer.set,
            "layers": list(answer.layers.items()),
            "cell": answer.cell and _describe_cell(answer.cell),
            "similar": answer.similar and _describe_similar(*answer.similar),
            "choose": choose and {"number": choose[0], "settings": choose[1]},
        }
    )


def _describe_cell(cell: CellAnswer) -> dict[str, Any]:
    breakdown = None
    if cell.breakdown is not None and cell.products is not None:
        numbers = {name: _finite(value) for name, value in cell.breakdown.items()}
        breakdown = {**numbers, "products": cell.products.astype(np.float32)}
    return {
        **vars(cell.ask),
        "rows": list(cell.rows.astype(np.float32)),
        "measures": dict(cell.measures),
        "breakdown": breakdown,
    }


def _finite(value: float | bool | None) -> float | bool | None:
    """The number; None for one JSON does not have, as a masked key's score of minus infinity."""
    return value if value is not None and math.isfinite(value) else None


def _describe_similar(ask: HeadAsk, heads: Sequence[tuple[int, int, float]]) -> dict[str, Any]:
    found = [{"layer": layer, "head": head, "distance": away} for layer, head, away in heads]
    return {**vars(ask), "heads": found}


def _read_cell(written: object) -> CellAsk | None:
    head = _read_head(written)
    if head is None or not isinstance(written, Mapping):
        return None
    queries = tuple(dict.fromkeys(read_numbers(written.get("queries"), MOST_QUERIES) or ()))
    key = written.get("key")
    column = None if key is None else read_number(key)
    if not queries or (key is not None and column is None):
        return None
    return CellAsk(head.set, head.layer, head.head, queries, column)


def _read_head(written: object) -> HeadAsk | None:
    if not isinstance(written, Mapping):
        return None
    name = _name(written.get("set"))
    layer, head = read_number(written.get("layer")), read_number(written.get("head"))
    if name is None or layer is None or head is None:
        return None
    return HeadAsk(name, layer, head)


def _name(written: object) -> str | None:
    return written if isinstance(written, str) and len(written) <= LONGEST_NAME else None


@cache
def _component(language: str) -> ComponentRenderer:
    return st.components.v2.component(
        f"headlight_attention_channel_{language.replace('-', '_')}",
        html=_HTML,
        css=_STYLE,
        js=loader("js/attention/channel_mount"),
        isolate_styles=False,
    )
