"""An attention canvas on the page that shows it: its picture, and the answers of its channel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask, remembered
from app.i18n import current_language
from app.parts.attention_canvas import canvas_strings
from app.parts.attention_channel import (
    Answer,
    Ask,
    CellAnswer,
    CellAsk,
    HeadAsk,
    asked,
    attention_channel,
)
from app.parts.attention_levels import quantise
from app.parts.attention_payload import CanvasSettings, encode
from app.parts.attention_sets import breaks_down, map_sets, measures_of, suggestions_of
from app.settings import Value
from core.analysis.similarity import nearest_heads
from core.engine import Call, call
from core.errors import HeadlightError
from core.tasks import AttendResult, AttentionMap, Weight, break_down

SIMILAR_HEADS = 6


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
        answer = Answer()
    attention_channel(answer, key=key, page=page, choose=choose() if choose else None)


def attention_payload(
    question: Call[AttendResult],
    result: AttendResult,
    settings: CanvasSettings,
    layers: tuple[int, ...] | None = None,
) -> bytes:
    """The picture of a result for the attention canvas, with the weights of all or some layers."""
    language = current_language()
    suggestions = remembered((question,), ("suggestions", language), lambda: suggestions_of(result))

    def pack() -> bytes:
        sets = map_sets(result, suggestions)
        remembered((question,), ("identities",), lambda: tuple(one.identity for one in sets))
        return encode(sets, strings=canvas_strings(), settings=settings, layers=layers)

    return remembered((question,), ("payload", settings, layers, language), pack)


def channel_answer(
    question: Call[AttendResult], asked: Ask | None, status: DeltaGenerator
) -> Answer:
    """What a canvas asks for, from the result it draws.

    Args:
        question: what the canvas shows.
        asked: what it asks. What that says about other maps, or about a layer, head or token that
            these do not have, stays without an answer.
        status: where a longer wait is spoken of.

    Raises:
        HeadlightError: the result is gone and cannot be had again.
    """
    if asked is None:
        return Answer()
    result = ask(question, status)
    identities = remembered(
        (question,), ("identities",), lambda: tuple(one.identity for one in map_sets(result))
    )
    maps = dict(zip(identities, result.maps, strict=True))

    def of(head: HeadAsk | CellAsk) -> AttentionMap | None:
        """The maps that are meant, where they have such a head."""
        one = maps.get(head.set)
        if one is None:
            return None
        layers, heads = one.patterns.shape[:2]
        return one if head.layer < layers and head.head < heads else None

    shown = asked.set or identities[0]
    patterns = maps[shown].patterns if shown in maps else ()
    answer = Answer(
        asked.number,
        shown if shown in maps else identities[0],
        {layer: _levels_of(patterns[layer]) for layer in asked.layers if layer < len(patterns)},
    )
    if asked.cell and (one := of(asked.cell)) and _sees(one, asked.cell):
        answer = replace(answer, cell=_cell_answer(question, result, one, asked.cell, status))
    if asked.similar and (one := of(asked.similar)):
        where = asked.similar.layer, asked.similar.head
        near = nearest_heads(one.patterns, *where, count=SIMILAR_HEADS)
        answer = replace(answer, similar=(asked.similar, near))
    return answer


def _sees(one: AttentionMap, cell: CellAsk) -> bool:
    queries, keys = one.patterns.shape[2:]
    return max(cell.queries) < queries and (cell.key or 0) < keys


def _levels_of(maps: NDArray[np.float32]) -> NDArray[np.uint8]:
    return quantise(maps, maps.max(axis=-1))


def _cell_answer(
    question: Call[AttendResult],
    result: AttendResult,
    one: AttentionMap,
    asked: CellAsk,
    status: DeltaGenerator,
) -> CellAnswer:
    queries = list(asked.queries)
    rows = one.patterns[asked.layer, asked.head, queries]
    answer = CellAnswer(asked, rows, measures_of(one, rows, queries))
    # Of several rows, those of a word's pieces, each weight has a score of its own.
    if asked.key is None or len(asked.queries) != 1 or not breaks_down(result):
        return answer
    try:
        weight: Weight = ask(_weight_of(question, result, one, asked, asked.key), status)
    except HeadlightError:
        return answer  # the rows are there all the same
    breakdown = {
        "dot": weight.dot,
        "scale": weight.scale,
        "bias": weight.bias,
        "score": weight.score,
        "allowed": weight.allowed,
        "maskedScore": weight.masked_score,
        "largest": weight.largest,
        "exponential": weight.exponential,
        "total": weight.total,
        "weight": weight.weight,
    }
    return replace(answer, breakdown=breakdown, products=weight.products)


def _weight_of(
    question: Call[AttendResult], result: AttendResult, one: AttentionMap, asked: CellAsk, key: int
) -> Call[Weight]:
    read = result.encoding
    return call(
        break_down,
        question.checkpoint,
        read.ids,
        None if result.target is None else result.target.ids,
        segments=read.segments,
        kind=one.name,
        layer=asked.layer,
        head=asked.head,
        query=asked.queries[0],
        key=key,
    )
