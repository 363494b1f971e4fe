"""The attention canvas: every head of every layer, and the lines of one head, in the browser.

Its message holds each kind of attention as one float32 scale per row and one byte per weight::

    weight = byte * scale / 255,  scale = largest weight of the row

so a weight read back differs from the original by at most half a step, scale / 510. Kinds may
differ in every size: layers, heads, rows and columns. The sink of every head, as a key and the mean
weight on it, is computed from the weights themselves.

The weights of a layer may be missing: then ``levels`` holds None in its place. Such maps bring
thumbnails of every head, at most 64 x 64, in which a cell holds the largest of its block: once of
the weights, 255 for the largest of the head, and once of the shares of the row's largest, 255 for
the whole. The same maps over the same tokens have the same ``identity``, so layers that come later,
by a channel or in another message, can be put beside those of this one.

Maps of 512 tokens and 144 heads are 151 MB. Their weights are gone through head by head, so that
the steps of one map stay in the processor's cache, and the whole is read once.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.ask import remembered
from app.i18n import N_, _, current_language
from app.parts.attention_settings import CanvasSettings
from app.parts.attention_strings import canvas_strings
from app.parts.head_suggestions import Suggestion, suggest_heads
from app.parts.scripts import script_component
from app.wire import pack
from core.analysis.sinks import find_sinks
from core.engine import Call
from core.parallel import in_threads
from core.tasks import AttendResult, AttentionMap

LABELS: Final = {
    "encoder": N_("Encoder"),
    "decoder": N_("Decoder"),
    "cross": N_("Cross"),
    "content": N_("Content stream"),
    "query": N_("Query stream"),
}

# More would keep a reader waiting for maps that may never be looked at.
MOST_BYTES_AT_ONCE: Final = 12_000_000
LARGEST_BYTE: Final = 255
THUMBNAIL: Final = 64

# Streamlit takes a string without a line break for a file name.
_HTML: Final = """
<div class="attention-canvas waiting" data-drawn="false" aria-busy="true"></div>
"""

Weights = NDArray[np.floating[Any]]


def attention_canvas(payload: bytes, *, key: str) -> None:
    """Draw attention maps; nothing the reader does in the canvas reruns the page.

    What the payload left out comes by the channel that its settings name: see
    :mod:`app.parts.attention_channel`.

    Args:
        payload: the message of :func:`attention_payload` or :func:`encode`.
        key: identity of this canvas. New bytes under the same key redraw it in place and keep
            what the reader has chosen; layers that came before stay where the maps are the same.
    """
    # The script fetches further sheets, each once: inline they would travel with every picture.
    component = script_component(
        "js/attention/main",
        "attention-canvas",
        sheets=("css/attention_frame",),
        html=_HTML,
        shared_sheet=False,
    )
    component(data=payload, key=key)


def attention_payload(
    question: Call[AttendResult],
    result: AttendResult,
    settings: CanvasSettings,
    layers: tuple[int, ...] | None = None,
) -> bytes:
    """The message of a result, remembered; see :func:`encode`."""
    language = current_language()

    def offered() -> tuple[tuple[Suggestion, ...], ...]:
        # Roles speak of one text in which tokens stand before and after each other.
        return tuple(
            tuple(suggest_heads(one.patterns, one.query))
            if is_of_one_text(one) and result.order is None
            else ()
            for one in result.maps
        )

    def make() -> bytes:
        return encode(
            result.maps,
            settings,
            layers=layers,
            summaries=_summaries_of(question, result),
            suggestions=remembered((question,), ("suggestions", language), offered),
            breaks_down=breaks_down(result),
        )

    return remembered((question,), ("payload", settings, layers, language), make)


def identities_of(question: Call[AttendResult], result: AttendResult) -> list[str]:
    """How the message calls each kind of attention of a result."""
    summaries = _summaries_of(question, result)
    return [identity_of(one, known) for one, known in zip(result.maps, summaries, strict=True)]


def is_of_one_text(one: AttentionMap) -> bool:
    """Whether a text attends to itself, so that a row has a place among its columns."""
    return one.name != "cross"


def breaks_down(result: AttendResult) -> bool:
    """Whether one weight can be taken apart: of a text that is read in its own order."""
    return result.order is None


def fits_at_once(*shapes: tuple[int, ...]) -> bool:
    """Whether maps of these shapes go into one message, or their layers one after the other."""
    return sum(map(math.prod, shapes)) <= MOST_BYTES_AT_ONCE


def encode(
    maps: Sequence[AttentionMap],
    settings: CanvasSettings,
    *,
    layers: Collection[int] | None = None,
    summaries: Sequence[Summary] = (),
    suggestions: Sequence[Sequence[Suggestion]] = (),
    breaks_down: bool = True,
) -> bytes:
    """Pack maps, the reader's strings and the first settings into one message.

    Args:
        maps: one kind of attention or several, of different names. A row that is masked in every
            cell may hold anything, also NaN.
        settings: where the canvas starts.
        layers: whose weights come along, of each kind those that it has; all when None.
        summaries: of each kind, where they are known.
        suggestions: heads of each kind that are offered below the atlas.
        breaks_down: whether the channel can say how one weight came about.

    Returns:
        The message described at the top of this module: about 1 + 4 / keys bytes a weight.

    Raises:
        ValueError: a weight is negative or not finite.
    """
    known = summaries or [summarise(one.patterns, one.masked_rows) for one in maps]
    offered = suggestions or [()] * len(maps)
    sets = [
        _describe(one, summary, some, layers, breaks_down=breaks_down)
        for one, summary, some in zip(maps, known, offered, strict=True)
    ]
    header = settings.as_header(maps[0].name)
    return pack({"sets": sets, "settings": header, "strings": canvas_strings()})


def _describe(
    one: AttentionMap,
    summary: Summary,
    suggestions: Sequence[Suggestion],
    wanted: Collection[int] | None,
    *,
    breaks_down: bool,
) -> dict[str, Any]:
    scales = summary.scales  # [layer, head, query]
    coming = [layer for layer in range(len(scales)) if wanted is None or layer in wanted]
    levels = in_threads(lambda layer: quantise(one.patterns[layer], scales[layer]), coming)
    by_layer = dict(zip(coming, levels, strict=True))  # each [head, query, key]
    crosses = not is_of_one_text(one)
    return {
        "identity": identity_of(one, summary),
        "name": one.name,
        "label": _(LABELS[one.name]),
        "queryTokens": one.query.pieces,
        "keyTokens": one.key.pieces,
        "querySpecial": list(map(int, one.query.special)),
        "keySpecial": list(map(int, one.key.special)),
        "queryWords": _numbers(one.query.words),
        "keyWords": _numbers(one.key.words),
        "queryWordTexts": one.query.spellings,
        "keyWordTexts": one.key.spellings,
        "querySegments": one.query.segments,
        "keySegments": one.key.segments,
        "queryLabel": _("target") if crosses else "",
        "keyLabel": _("source") if crosses else "",
        "breaksDown": breaks_down,
        "suggestions": suggestions,
        "scales": scales,
        "sinkKeys": summary.sink_keys,
        "sinkShares": summary.sink_shares,
        "maskedRows": one.masked_rows,
        "maskedCells": one.masked if one.masked.any() else None,
        "thumbnails": _overview(one, scales) if len(coming) < len(scales) else None,
        "levels": [by_layer.get(layer) for layer in range(len(scales))],
    }


def _overview(one: AttentionMap, scales: NDArray[np.float32]) -> dict[str, Any]:
    """What stands for layers that do not come."""
    of_layers = list(zip(one.patterns, scales, strict=True))
    small = in_threads(lambda layer: thumbnails(*layer), of_layers)
    weighted, relative = zip(*small, strict=True)
    return {
        "blockRows": block_size(len(one.query)),
        "blockColumns": block_size(len(one.key)),
        "weights": np.stack(weighted),
        "relative": np.stack(relative),
        "strongestKeys": np.stack([strongest_keys(*layer) for layer in of_layers]),
    }


def _numbers(words: Sequence[int | None]) -> list[int]:
    return [-1 if word is None else word for word in words]


def identity_of(one: AttentionMap, summary: Summary) -> str:
    """The same for the same maps over the same tokens, whatever else is said about them."""
    digest = hashlib.blake2b(summary.scales.tobytes(), digest_size=12)
    shape, tokens = summary.scales.shape[:2], [one.query.pieces, one.key.pieces]
    digest.update(json.dumps([one.name, *shape, *tokens]).encode("ascii"))
    return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class Summary:
    """What one pass over all weights finds.

    Attributes:
        scales: largest weight of every row ``[layer, head, query]``; 0 for a masked row.
        sink_keys: the key with the largest mean weight over the rows that are not masked, the
            first of several, ``[layer, head]``.
        sink_shares: that mean, ``[layer, head]``; 0 where every row is masked.
    """

    scales: NDArray[np.float32]
    sink_keys: NDArray[np.uint16]
    sink_shares: NDArray[np.float32]


def _summaries_of(question: Call[AttendResult], result: AttendResult) -> tuple[Summary, ...]:
    """Of every kind of attention of a result, found once."""
    return remembered(
        (question,),
        ("summaries",),
        lambda: tuple(summarise(one.patterns, one.masked_rows) for one in result.maps),
    )


def summarise(weights: Weights, masked_rows: NDArray[np.bool_]) -> Summary:
    """Look at every weight once.

    Args:
        weights: ``[layer, head, query, key]``; masked rows may hold anything.
        masked_rows: ``[query]``.

    Raises:
        ValueError: when a weight of a row that is not masked is negative or not finite.
    """
    drawn = np.flatnonzero(~masked_rows)
    rows = slice(None) if len(drawn) == len(masked_rows) else drawn
    found = in_threads(lambda maps: _summarise_layer(maps, rows), weights)
    return Summary(*(np.stack(parts) for parts in zip(*found, strict=True)))


def _summarise_layer(maps: Weights, rows: slice | NDArray[np.intp]) -> tuple[NDArray[Any], ...]:
    """The parts of a :class:`Summary`, of one layer."""
    heads, queries, _ = maps.shape
    scales = np.zeros((heads, queries), dtype=np.float32)
    sink_keys = np.zeros(heads, dtype=np.uint16)
    sink_shares = np.zeros(heads, dtype=np.float32)
    for head, whole in enumerate(maps):
        pattern = whole[rows]
        if not len(pattern):
            break
        largest = pattern.max(axis=-1)
        smallest = pattern.min()  # not a number if any weight is none
        if not (np.isfinite(smallest) and np.isfinite(largest).all()):
            raise ValueError("A weight is not finite.")
        if smallest < 0:
            raise ValueError("A weight is negative.")
        keys, shares = find_sinks(pattern[None, None])
        scales[head, rows] = largest
        sink_keys[head], sink_shares[head] = keys[0, 0], shares[0, 0]
    return scales, sink_keys, sink_shares


def quantise(maps: Weights, scales: NDArray[np.float32]) -> NDArray[np.uint8]:
    """One byte a weight, 255 for the largest of its row.

    Args:
        maps: ``[head, query, key]``; rows of scale 0 may hold anything.
        scales: largest weight of each row, ``[head, query]``.
    """
    levels = np.zeros(maps.shape, dtype=np.uint8)
    for head, pattern in enumerate(maps):
        rows = _drawn_rows(scales[head])
        steps = _steps(pattern[rows], scales[head, rows])
        steps += 0.5  # the cast cuts off, so it rounds to the nearest
        levels[head, rows] = steps
    return levels


def block_size(length: int) -> int:
    """How many rows or columns of a map one of its thumbnail stands for."""
    return -(-length // THUMBNAIL)


def thumbnails(
    maps: Weights, scales: NDArray[np.float32]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Small maps in which a cell holds the largest of its block, ``[head, row, column]``.

    With blocks of 2 x 2, bytes of :func:`quantise` and rows of scale 0.4, 0.8 and 0.2::

        255  51 | 0          weights  255 | 128      relative  255 | 128
        255   0 | 128                  64 |   0                255 |   0
        --------+----
        255   0 | 0

    Args:
        maps: ``[head, query, key]``; rows of scale 0 may hold anything.
        scales: largest weight of each row, ``[head, query]``.

    Returns:
        The weights, 255 for the largest of the head, and the weights again, 255 for the largest of
        the row.
    """
    heads, queries, keys = maps.shape
    down, across = block_size(queries), block_size(keys)
    shape = (heads, -(-queries // down), -(-keys // across))
    weights = np.zeros(shape, dtype=np.uint8)
    relative = np.zeros(shape, dtype=np.uint8)
    for head, pattern in enumerate(maps):
        largest = scales[head].max()
        if largest == 0:
            continue
        rows = _drawn_rows(scales[head])
        steps = _steps(pattern[rows], scales[head, rows])
        if not isinstance(rows, slice):
            whole = np.zeros((2, queries, keys), dtype=np.float32)
            whole[0, rows], whole[1, rows] = pattern[rows], steps
            pattern, steps = whole
        relative[head] = np.rint(_pooled(steps, down, across))
        weights[head] = np.rint(_pooled(pattern, down, across) * (LARGEST_BYTE / largest))
    return weights, relative


def strongest_keys(maps: Weights, scales: NDArray[np.float32]) -> NDArray[np.uint16]:
    """The column of each head's largest weight: ``[head]``; see :func:`quantise`."""
    rows = scales.argmax(axis=-1)
    found = maps[np.arange(len(maps)), rows].argmax(axis=-1)
    return np.where(scales.max(axis=-1) > 0, found, 0).astype(np.uint16)


def _drawn_rows(scales: NDArray[np.float32]) -> slice | NDArray[np.bool_]:
    drawn = scales > 0
    return slice(None) if drawn.all() else drawn


def _steps(pattern: Weights, scales: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.divide(pattern, (scales / LARGEST_BYTE)[:, None], dtype=np.float32)


def _pooled(pattern: Weights, down: int, across: int) -> Weights:
    """The largest of every block; the last ones may be smaller."""
    # Rows first: they lie together in memory, and few are left for the columns.
    narrow = pattern[::down].copy()
    for offset in range(1, down):
        rows = pattern[offset::down]
        np.maximum(narrow[: len(rows)], rows, out=narrow[: len(rows)])
    small = narrow[:, ::across].copy()
    for offset in range(1, across):
        columns = narrow[:, offset::across]
        left = small[:, : columns.shape[1]]
        np.maximum(left, columns, out=left)
    return small
