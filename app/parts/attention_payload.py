"""Attention maps packed into the one message that the attention canvas draws.

Each set of maps travels as one float32 scale per row and one byte per weight::

    weight = byte * scale / 255,  scale = largest weight of the row

so a weight read back differs from the original by at most half a step, scale / 510. Several sets
may differ in every size: layers, heads, rows and columns. The sink of every head, as a key and the
mean weight on it, is computed from the weights themselves.

The weights of a layer may be missing: then ``levels`` holds None in its place. Such a set
brings thumbnails of every head, at most 64 x 64, in which a cell holds the largest of
its block: once of the weights, 255 for the largest of the head, and once of the shares of the
row's largest, 255 for the whole. Sets with the same ``identity`` hold the same maps, so layers that
come later, by a channel or in another message, can be put beside those of this one.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import numpy as np

from app.parts.attention_levels import block_size, quantise, strongest_keys, thumbnails
from app.parts.attention_maps import MapSet, Suggestion
from app.parts.attention_settings import PALETTES, SCALES, CanvasSettings
from app.wire import pack
from core.parallel import in_threads

__all__ = [
    "PALETTES",
    "SCALES",
    "CanvasSettings",
    "MapSet",
    "Suggestion",
    "encode",
    "fits_at_once",
]

# More would keep a reader waiting for maps that may never be looked at.
MOST_BYTES_AT_ONCE: Final = 12_000_000


def fits_at_once(*shapes: tuple[int, ...]) -> bool:
    """Whether sets of these shapes go into one message, or their layers one after the other."""
    return sum(map(math.prod, shapes)) <= MOST_BYTES_AT_ONCE


def encode(
    map_sets: Sequence[MapSet],
    *,
    strings: Mapping[str, str],
    settings: CanvasSettings,
    layers: Collection[int] | None = None,
) -> bytes:
    """Pack sets of maps, the reader's strings and the first settings into one message.

    Args:
        map_sets: at least one set; names must differ.
        strings: what the canvas says, in the reader's language.
        settings: where the canvas starts.
        layers: the layers whose weights come along, of each set those that it has; all when None.

    Returns:
        The message described at the top of this module: about 1 + 4 / keys bytes a weight.

    Raises:
        ValueError: without a set, with two sets of one name, or with a first set that is missing.
    """
    names = [map_set.name for map_set in map_sets]
    if not names:
        raise ValueError("There is no set of maps to draw.")
    if len(set(names)) != len(names):
        raise ValueError(f"Sets of maps need different names: {', '.join(names)}.")
    first = settings.map_set or names[0]
    if first not in names:
        raise ValueError(f"There is no set {first!r} among {', '.join(names)}.")

    return pack(
        {
            "sets": [_describe(map_set, layers) for map_set in map_sets],
            "settings": settings.as_header(first),
            "strings": dict(strings),
        }
    )


def _describe(map_set: MapSet, wanted: Collection[int] | None) -> dict[str, Any]:
    layers, _heads, queries, keys = map_set.weights.shape
    coming = [layer for layer in range(layers) if wanted is None or layer in wanted]
    scales = map_set.summary.scales  # [layer, head, query]
    levels = in_threads(lambda layer: quantise(map_set.weights[layer], scales[layer]), coming)
    by_layer = dict(zip(coming, levels, strict=True))  # each [head, query, key]
    return {
        "identity": map_set.identity,
        "name": map_set.name,
        "label": map_set.label or map_set.name,
        "queryTokens": list(map_set.query_tokens),
        "keyTokens": list(map_set.key_tokens),
        "querySpecial": _flags(map_set.query_special, queries),
        "keySpecial": _flags(map_set.key_special, keys),
        "queryWords": _numbers(map_set.query_words, queries),
        "keyWords": _numbers(map_set.key_words, keys),
        "queryWordTexts": list(map_set.query_word_texts),
        "keyWordTexts": list(map_set.key_word_texts),
        "querySegments": list(map_set.query_segments or [0] * queries),
        "keySegments": list(map_set.key_segments or [0] * keys),
        "queryLabel": map_set.query_label,
        "keyLabel": map_set.key_label,
        "breaksDown": map_set.breaks_down,
        "suggestions": list(map_set.suggestions),
        "scales": scales,
        "sinkKeys": map_set.summary.sink_keys,
        "sinkShares": map_set.summary.sink_shares,
        "maskedRows": map_set.fully_masked_rows(),
        "maskedCells": map_set.masked_cells,
        "thumbnails": _overview(map_set) if len(coming) < layers else None,
        "levels": [by_layer.get(layer) for layer in range(layers)],
    }


def _overview(map_set: MapSet) -> dict[str, Any]:
    """What stands for layers that do not come."""
    of_layers = list(zip(map_set.weights, map_set.summary.scales, strict=True))
    small = in_threads(lambda one: thumbnails(*one), of_layers)
    weighted, relative = zip(*small, strict=True)
    _, _, queries, keys = map_set.weights.shape
    return {
        "blockRows": block_size(queries),
        "blockColumns": block_size(keys),
        "weights": np.stack(weighted),
        "relative": np.stack(relative),
        "strongestKeys": np.stack([strongest_keys(*one) for one in of_layers]),
    }


def _flags(marks: Sequence[bool] | None, length: int) -> list[int]:
    return [0] * length if marks is None else [int(bool(mark)) for mark in marks]


def _numbers(words: Sequence[int | None] | None, length: int) -> list[int]:
    if words is None:
        return [-1] * length
    return [-1 if word is None else word for word in words]
