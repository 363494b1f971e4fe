"""The kinds of attention of a run as sets of maps for the canvas, and what their rows say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.i18n import N_, _
from app.parts.attention_maps import MapSet, Suggestion
from app.parts.head_suggestions import suggest_heads
from core.analysis.rows import measure_rows
from core.tasks import AttendResult, AttentionMap

LABELS: Final = {
    "encoder": N_("Encoder"),
    "decoder": N_("Decoder"),
    "cross": N_("Cross"),
    "content": N_("Content stream"),
    "query": N_("Query stream"),
}


def is_of_one_text(one: AttentionMap) -> bool:
    """Whether a text attends to itself, so that a row has a place among its columns."""
    return one.name != "cross"


def breaks_down(result: AttendResult) -> bool:
    """Whether one weight can be taken apart: of a text that is read in its own order."""
    return result.order is None


def suggestions_of(result: AttendResult) -> tuple[tuple[Suggestion, ...], ...]:
    """Heads worth a look in every kind of attention, in the reader's language.

    Their roles speak of one text in which tokens stand before and after each other; so cross
    attention has none, and neither have streams that read in another order.
    """
    return tuple(
        tuple(suggest_heads(one.patterns, one.query))
        if is_of_one_text(one) and result.order is None
        else ()
        for one in result.maps
    )


def map_sets(
    result: AttendResult, suggestions: Sequence[Sequence[Suggestion]] = ()
) -> tuple[MapSet, ...]:
    """All kinds of attention of a run, in the order of the result.

    Args:
        result: of the run.
        suggestions: of each kind; none where it is empty.
    """
    offered = suggestions or [()] * len(result.maps)
    return tuple(
        _map_set(one, some, breaks_down=breaks_down(result))
        for one, some in zip(result.maps, offered, strict=True)
    )


def measures_of(
    one: AttentionMap, rows: NDArray[np.float32], queries: Sequence[int]
) -> dict[str, float]:
    """Numbers about rows of one head ``[row, key]``, by the names that the canvas knows.

    The distance means nothing between two texts, and the canvas does not show it there.
    """
    found = measure_rows(rows, queries, one.key.special, one.masked[list(queries)])
    return {
        "sum": found.sum,
        "entropy": found.entropy,
        "mostEntropy": found.most_entropy,
        "distance": found.distance,
        "first": found.first,
        "separators": found.separators,
    }


def _map_set(one: AttentionMap, suggestions: Sequence[Suggestion], *, breaks_down: bool) -> MapSet:
    crosses = not is_of_one_text(one)
    return MapSet(
        one.name,
        one.patterns,
        query_tokens=one.query.pieces,
        key_tokens=one.key.pieces,
        label=_(LABELS[one.name]),
        query_special=one.query.special,
        key_special=one.key.special,
        query_label=_("target") if crosses else "",
        key_label=_("source") if crosses else "",
        suggestions=suggestions,
        query_words=one.query.words,
        key_words=one.key.words,
        query_word_texts=one.query.spellings,
        key_word_texts=one.key.spellings,
        query_segments=one.query.segments,
        key_segments=one.key.segments,
        masked_cells=one.masked if one.masked.any() else None,
        breaks_down=breaks_down,
    )
