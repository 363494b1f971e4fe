"""The channel of an attention canvas: what it asks for while it is open.

A component of no size that stands on the same page, in a fragment of its own: a question reruns
that fragment alone, and the answer comes without the maps being sent again. The canvas names the
channel in its settings; in the browser, ``channel.js`` joins the two.

An answer holds the bytes of whole layers as :func:`app.parts.attention_canvas.quantise` makes
them, and exact rows in float32.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask, remembered
from app.figures.theme import FigureTheme
from app.i18n import current_language
from app.parts.attention_canvas import breaks_down, identities_of, quantise
from app.parts.head_points import head_points_message
from app.parts.said import LARGEST_NUMBER, read_number, read_numbers, said
from app.parts.scripts import loader
from app.settings import Value
from app.state import current_settings
from app.wire import pack
from core.analysis.rows import measure_rows
from core.analysis.similarity import nearest_heads
from core.engine import Call, call
from core.errors import HeadlightError
from core.tasks import AttendResult, AttentionMap, Weight, break_down

MOST_LAYERS: Final = 100
MOST_QUERIES: Final = 512
MOST_EXACT: Final = 1 << 22  # weights of a head that are sent as they are: 16 MB
LONGEST_NAME: Final = 64
SIMILAR_HEADS: Final = 6

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
    """One head; `set` is the identity of the maps."""

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
class PointsAsk:
    """All heads as points, for a light or a dark screen; `set` is the identity of the maps."""

    set: str
    dark: bool


@dataclass(frozen=True)
class Ask:
    """What a canvas asks for.

    Args:
        number: of the question.
        set: identity of the maps that the layers belong to; empty for whatever is shown.
        layers: whose weights are wanted.
        cell, similar, exact, points: further questions, or None: rows, the heads that are like one,
            all rows of one, and all heads as points.
    """

    number: int
    set: str = ""
    layers: tuple[int, ...] = ()
    cell: CellAsk | None = None
    similar: HeadAsk | None = None
    exact: HeadAsk | None = None
    points: PointsAsk | None = None


@st.fragment
def draw_channel(
    question: Call[AttendResult],
    status: DeltaGenerator,
    *,
    key: str,
    page: str,
    choose: Callable[[], tuple[int, Mapping[str, Value | None]] | None] | None = None,
) -> None:
    """Answer what a canvas asks; a question reruns this fragment and nothing else.

    Args:
        question: what the canvas shows. The result is asked for again, not handed over: what a
            fragment is called with stays in memory as long as its reader.
        status: where a wait is spoken of.
        key: the name of the channel in the canvas's settings.
        page: what the address of the page ends with.
        choose: gives settings for the canvas to take over; see :func:`attention_channel`. Asked
            in every run, because a question may overtake the run that would have handed them over.
    """
    # A fragment may write to a place outside itself only if it did so in the run of the whole page.
    status.empty()
    try:
        answer = channel_answer(question, asked(key), status)
    except HeadlightError:
        # The page says what is wrong where it draws; the canvas will ask again.
        answer = answer_to(None, {})
    attention_channel(answer, key=key, page=page, choose=choose() if choose else None)


def attention_channel(
    answer: Mapping[str, Any],
    *,
    key: str,
    page: str | None = None,
    choose: tuple[int, Mapping[str, Value | None]] | None = None,
) -> None:
    """Draw the channel, which nobody sees; call it inside a fragment.

    Args:
        answer: of :func:`answer_to`.
        key: the name of the channel, which the canvas has in its settings.
        page: the end of the address at which it may ask; None for any.
        choose: settings that the canvas takes over, by name, with a number of their own: they are
            taken over once for each new number.
    """
    chosen = choose and {"number": choose[0], "settings": choose[1]}
    data = pack({"channel": key, "page": page, **answer, "choose": chosen})
    _component(current_language())(data=data, key=key, on_ask_change=lambda: None)


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


def channel_answer(
    question: Call[AttendResult], asked: Ask | None, status: DeltaGenerator
) -> dict[str, Any]:
    """What a canvas asks for, from the result it draws; see :func:`answer_to`.

    Raises:
        HeadlightError: the result is gone and cannot be had again.
    """
    if asked is None:
        return answer_to(None, {})
    result = ask(question, status)

    def weigh(one: AttentionMap, cell: CellAsk) -> Weight | None:
        # Of several rows, those of a word's pieces, each weight has a score of its own.
        if cell.key is None or len(cell.queries) != 1 or not breaks_down(result):
            return None
        weight = call(
            break_down,
            question.checkpoint,
            result.encoding.ids,
            None if result.target is None else result.target.ids,
            segments=result.encoding.segments,
            kind=one.name,
            layer=cell.layer,
            head=cell.head,
            query=cell.queries[0],
            key=cell.key,
        )
        try:
            return ask(weight, status)
        except HeadlightError:
            return None  # the rows are there all the same

    def draw(one: AttentionMap, theme: FigureTheme) -> dict[str, Any]:
        about = ("heads as points", one.name, theme, current_language())
        return remembered((question,), about, lambda: head_points_message(one, theme))

    identities = identities_of(question, result)
    return answer_to(asked, dict(zip(identities, result.maps, strict=True)), weigh, draw)


def answer_to(
    asked: Ask | None,
    maps: Mapping[str, AttentionMap],
    weigh: Callable[[AttentionMap, CellAsk], Weight | None] = lambda _one, _cell: None,
    draw: Callable[[AttentionMap, FigureTheme], dict[str, Any]] = head_points_message,
) -> dict[str, Any]:
    """The answer as the browser reads it.

    Args:
        asked: what is asked. What that says about other maps, or about a layer, head or token that
            these do not have, stays without an answer.
        maps: what the canvas shows, by identity.
        weigh: how the weight of a cell came about, None where nobody can say.
        draw: all heads as points.
    """
    if asked is None:
        nothing = dict.fromkeys(("cell", "similar", "exact", "points"))
        return {"number": 0, "set": "", "layers": [], **nothing}

    def of(head: HeadAsk | CellAsk | None) -> AttentionMap | None:
        """The maps that are meant, where they have such a head."""
        one = maps.get(head.set) if head else None
        if head is None or one is None:
            return None
        layers, heads = one.patterns.shape[:2]
        return one if head.layer < layers and head.head < heads else None

    cell = similar = exact = None
    if asked.cell and (one := of(asked.cell)):
        cell = _cell_answer(one, asked.cell, weigh)
    if asked.similar and (one := of(asked.similar)):
        about = asked.similar
        near = nearest_heads(one.patterns, about.layer, about.head, count=SIMILAR_HEADS)
        heads = [{"layer": layer, "head": head, "distance": away} for layer, head, away in near]
        similar = {**vars(about), "heads": heads}
    if asked.exact and (one := of(asked.exact)):
        rows = one.patterns[asked.exact.layer, asked.exact.head]
        exact = {**vars(asked.exact), "rows": rows if rows.size <= MOST_EXACT else None}
    points = None
    if asked.points and (found := maps.get(asked.points.set)):
        theme = FigureTheme(asked.points.dark, bool(current_settings().present))
        points = {**vars(asked.points), **draw(found, theme)}
    shown = asked.set or next(iter(maps))
    patterns = maps[shown].patterns if shown in maps else ()
    layers = [layer for layer in asked.layers if layer < len(patterns)]
    return {
        "number": asked.number,
        "set": shown if shown in maps else next(iter(maps)),
        "layers": [(one, quantise(patterns[one], patterns[one].max(axis=-1))) for one in layers],
        "cell": cell,
        "similar": similar,
        "exact": exact,
        "points": points,
    }


def _cell_answer(
    one: AttentionMap,
    cell: CellAsk,
    weigh: Callable[[AttentionMap, CellAsk], Weight | None],
) -> dict[str, Any] | None:
    """Rows as the model computed them, numbers about them, and how the weight came about."""
    queries = list(cell.queries)
    if max(queries) >= len(one.query) or (cell.key or 0) >= len(one.key):
        return None
    rows = one.patterns[cell.layer, cell.head, queries]
    found = measure_rows(rows, queries, one.key.special, one.masked[queries])
    weight = weigh(one, cell)
    return {
        **vars(cell),
        "rows": list(rows),
        # The distance means nothing between two texts, and the canvas does not show it there.
        "measures": _in_the_browser(vars(found)),
        "breakdown": weight and _in_the_browser(vars(weight)),
    }


def _in_the_browser(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers by their names in scripts; None for one JSON does not have, as minus infinity."""
    return {
        re.sub("_(.)", lambda found: found[1].upper(), name): None
        if isinstance(value, float) and not math.isfinite(value)
        else value
        for name, value in numbers.items()
    }


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
        exact=_read_head(written.get("exact")),
        points=_read_points(written.get("points")),
    )


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


def _read_points(written: object) -> PointsAsk | None:
    if not isinstance(written, Mapping):
        return None
    name, dark = _name(written.get("set")), written.get("dark")
    return PointsAsk(name, dark) if name is not None and isinstance(dark, bool) else None


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
