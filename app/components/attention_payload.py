"""Attention maps packed into the one blob of bytes that the attention canvas draws.

Layout, little endian throughout::

    "HLAM" | version uint32 | header length uint32 | header, JSON in UTF-8 | body

The header is padded with spaces so that the body starts on a multiple of eight bytes, and every
array of the body starts on a multiple of eight again. Each set of maps lies in the body as one
float32 scale per row and one byte per weight::

    weight = byte * scale / 255,  scale = largest weight of the row

so a weight read back differs from the original by at most half a step, scale / 510. Several sets
may differ in every size: layers, heads, rows and columns.

The weights of a layer may be missing: ``levels`` lists the layers that came. A set of which some
are missing brings thumbnails of every head, at most 64 x 64, in which a cell holds the largest of
its block: once of the weights, 255 for the largest of the head, and once of the bytes, 255 for the
largest of the row. Sets with the same ``identity`` hold the same maps, so layers of one blob can
be put beside those of another.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.components.attention_levels import (
    block_size,
    quantise,
    row_scales,
    thumbnails,
)

MAGIC: Final = b"HLAM"
VERSION: Final = 2
ALIGNMENT: Final = 8
# More would keep a reader waiting for maps that may never be looked at.
MOST_BYTES_AT_ONCE: Final = 12_000_000
SCALES: Final = ("absolute", "head", "row")
PALETTES: Final = ("indigo", "viridis", "cividis")

_IDENTIFYING: Final = ("name", "layers", "heads", "queryTokens", "keyTokens")
_PREAMBLE: Final = struct.Struct("<4sII")


@dataclass(frozen=True)
class Suggestion:
    """A head worth a look.

    Args:
        label: what it does, in the reader's language.
        share: how much of its attention does so, as the reader sees it.
        layer, head: counted from 0.
    """

    label: str
    share: str
    layer: int
    head: int


@dataclass(frozen=True, eq=False)
class MapSet:
    """The maps of one kind of attention: every head of every layer over one pair of texts.

    Args:
        name: stands in the page address, for example ``encoder`` or ``cross``.
        weights: non-negative float array ``[layer, head, query, key]``. Rows that
            ``masked_rows`` marks may hold anything, also NaN.
        query_tokens: one readable string for each row.
        key_tokens: one readable string for each column.
        label: what a reader sees where there are several sets; ``name`` when empty.
        query_special, key_special: one boolean a token, True for tokens such as [CLS].
        query_label, key_label: what rows and columns are, where they are different texts.
        masked_rows: boolean ``[query]``, True where a query may attend to nothing.
        masked_cells: boolean ``[query, key]``, True where this query may not see this key.
        suggestions: heads of this set that are offered below the atlas.

    Raises:
        ValueError: when lengths disagree, a weight is negative or not finite, a suggested head
            does not exist, or there is nothing to draw.
    """

    name: str
    weights: NDArray[np.floating[Any]]
    query_tokens: Sequence[str]
    key_tokens: Sequence[str]
    label: str = ""
    query_special: Sequence[bool] | None = None
    key_special: Sequence[bool] | None = None
    query_label: str = ""
    key_label: str = ""
    masked_rows: NDArray[np.bool_] | None = None
    masked_cells: NDArray[np.bool_] | None = None
    suggestions: Sequence[Suggestion] = ()

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("A set of maps needs a name.")
        if self.weights.ndim != 4:
            raise ValueError(
                f"Weights of {self.name!r} need four axes [layer, head, query, key], "
                f"not {self.weights.ndim}."
            )
        if 0 in self.weights.shape:
            raise ValueError(f"Weights of {self.name!r} are empty: shape {self.weights.shape}.")
        layers, heads, queries, keys = self.weights.shape
        self._expect_length("query tokens", self.query_tokens, queries)
        self._expect_length("key tokens", self.key_tokens, keys)
        self._expect_length("query special marks", self.query_special, queries)
        self._expect_length("key special marks", self.key_special, keys)
        self._expect_shape("masked rows", self.masked_rows, (queries,))
        self._expect_shape("masked cells", self.masked_cells, (queries, keys))
        for one in self.suggestions:
            if not (0 <= one.layer < layers and 0 <= one.head < heads):
                raise ValueError(f"{self.name!r} has no layer {one.layer}, head {one.head}.")
        drawn = ~self.fully_masked_rows()
        # What is not a number comes out of both; the maps themselves are never copied.
        smallest = self.weights.min(axis=-1)[..., drawn]
        largest = self.weights.max(axis=-1)[..., drawn]
        if not (np.isfinite(smallest).all() and np.isfinite(largest).all()):
            raise ValueError(f"Weights of {self.name!r} are not all finite.")
        if (smallest < 0).any():
            raise ValueError(f"Weights of {self.name!r} are not all zero or more.")

    def fully_masked_rows(self) -> NDArray[np.bool_]:
        """Rows that may attend to nothing, marked so or masked in every cell: ``[query]``."""
        rows = np.zeros(self.weights.shape[2], dtype=np.bool_)
        if self.masked_rows is not None:
            rows |= self.masked_rows
        if self.masked_cells is not None:
            rows |= self.masked_cells.all(axis=1)
        return rows

    def _expect_length(self, what: str, values: Sequence[object] | None, length: int) -> None:
        if values is not None and len(values) != length:
            raise ValueError(f"{self.name!r} has {len(values)} {what} for {length} in the weights.")

    def _expect_shape(
        self, what: str, values: NDArray[np.bool_] | None, shape: tuple[int, ...]
    ) -> None:
        if values is not None and values.shape != shape:
            raise ValueError(f"{self.name!r} has {what} of shape {values.shape}, not {shape}.")


@dataclass(frozen=True)
class CanvasSettings:
    """What the canvas shows until the reader or the page address says otherwise.

    Args:
        layer, head: the outlined map, counted from 0.
        token: the query whose lines are drawn; None draws all of them faintly.
        map_set: name of the set shown first; the first one when None.
        palette: one of ``PALETTES``.
        scale: what full colour means in the atlas, one of ``SCALES``: a weight of 1, the
            largest weight of the head, or that of the row.
        url_prefix: put before each parameter in the page address, so that two canvases on one
            page keep apart.

    Raises:
        ValueError: for a negative position, or a palette or scale that does not exist.
    """

    layer: int = 0
    head: int = 0
    token: int | None = None
    map_set: str | None = None
    palette: str = "indigo"
    scale: str = "head"
    url_prefix: str = ""

    def __post_init__(self) -> None:
        for name, value in (("layer", self.layer), ("head", self.head), ("token", self.token)):
            if value is not None and value < 0:
                raise ValueError(f"The {name} counts from 0; {value} is not possible.")
        if self.palette not in PALETTES:
            raise ValueError(f"Palette {self.palette!r} is not one of {', '.join(PALETTES)}.")
        if self.scale not in SCALES:
            raise ValueError(f"Scale {self.scale!r} is not one of {', '.join(SCALES)}.")


def fits_at_once(shape: tuple[int, ...]) -> bool:
    """Whether maps of this shape go into one blob, or the layers one after the other."""
    return math.prod(shape) <= MOST_BYTES_AT_ONCE


def encode(
    map_sets: Sequence[MapSet],
    *,
    strings: Mapping[str, str],
    settings: CanvasSettings,
    layers: Collection[int] | None = None,
) -> bytes:
    """Pack sets of maps, the reader's strings and the first settings into one blob.

    Args:
        map_sets: at least one set; names must differ.
        strings: what the canvas says, in the reader's language.
        settings: where the canvas starts.
        layers: the layers whose weights come along, of each set those that it has; all when None.

    Returns:
        The blob described at the top of this module: about 1 + 4 / keys bytes a weight.

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

    body = _Body()
    header = {
        "sets": [_describe(map_set, body, layers) for map_set in map_sets],
        "settings": {
            "layer": settings.layer,
            "head": settings.head,
            "token": settings.token,
            "set": first,
            "palette": settings.palette,
            "scale": settings.scale,
            "urlPrefix": settings.url_prefix,
        },
        "strings": dict(strings),
    }
    # Lone surrogates cannot be UTF-8; escaped as \udXXX they reach the browser all the same.
    text = json.dumps(header, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    text += b" " * (-(_PREAMBLE.size + len(text)) % ALIGNMENT)
    return b"".join([_PREAMBLE.pack(MAGIC, VERSION, len(text)), text, *body.parts])


class _Body:
    """Collects arrays, each padded to the alignment, and says where they start in the body."""

    def __init__(self) -> None:
        self.parts: list[bytes | memoryview] = []
        self.length = 0

    def add(self, array: NDArray[Any]) -> int:
        offset = self.length
        padding = bytes(-array.nbytes % ALIGNMENT)
        self.parts += [np.ascontiguousarray(array).data.cast("B"), padding]
        self.length += array.nbytes + len(padding)
        return offset


def _describe(map_set: MapSet, body: _Body, wanted: Collection[int] | None) -> dict[str, Any]:
    masked_rows = map_set.fully_masked_rows()
    scales = row_scales(map_set.weights, masked_rows)
    layers, heads, queries, keys = map_set.weights.shape
    coming = [layer for layer in range(layers) if wanted is None or layer in wanted]
    description: dict[str, Any] = {
        "name": map_set.name,
        "label": map_set.label or map_set.name,
        "layers": layers,
        "heads": heads,
        "queryTokens": list(map_set.query_tokens),
        "keyTokens": list(map_set.key_tokens),
        "querySpecial": _flags(map_set.query_special, queries),
        "keySpecial": _flags(map_set.key_special, keys),
        "queryLabel": map_set.query_label,
        "keyLabel": map_set.key_label,
        "suggestions": [vars(suggestion) for suggestion in map_set.suggestions],
        "scales": body.add(scales),
        "maskedRows": body.add(masked_rows.astype(np.uint8)),
    }
    if map_set.masked_cells is not None:
        description["maskedCells"] = body.add(map_set.masked_cells.astype(np.uint8))
    description["identity"] = _identity(description, scales)
    if len(coming) == layers:
        levels = [quantise(*one) for one in zip(map_set.weights, scales, strict=True)]
    else:
        levels = _add_overview(description, map_set.weights, scales, body)
    description["levels"] = [[layer, body.add(levels[layer])] for layer in coming]
    return description


def _add_overview(
    description: dict[str, Any],
    weights: NDArray[np.floating[Any]],
    scales: NDArray[np.float32],
    body: _Body,
) -> list[NDArray[np.uint8]]:
    """Describe what stands for layers that do not come; return the bytes of all of them."""
    levels, planes, keys = [], [], []
    for maps, largest in zip(weights, scales, strict=True):
        levels.append(quantise(maps, largest))
        planes.append(thumbnails(levels[-1], largest))
        rows = largest.argmax(axis=-1)  # [head]
        keys.append(levels[-1][np.arange(len(rows)), rows].argmax(axis=-1))
    weighted, relative = (np.stack(plane) for plane in zip(*planes, strict=True))
    _, _, queries, columns = weights.shape
    description["thumbnails"] = {
        "blockRows": block_size(queries),
        "blockColumns": block_size(columns),
        "weights": body.add(weighted),
        "relative": body.add(relative),
        "strongestKeys": body.add(np.stack(keys).astype("<u2")),
    }
    return levels


def _identity(description: dict[str, Any], scales: NDArray[np.float32]) -> str:
    """The same for the same maps over the same tokens, whichever layers come along."""
    digest = hashlib.blake2b(scales.tobytes(), digest_size=12)
    digest.update(json.dumps([description[name] for name in _IDENTIFYING]).encode("ascii"))
    return digest.hexdigest()


def _flags(marks: Sequence[bool] | None, length: int) -> list[int]:
    return [0] * length if marks is None else [int(bool(mark)) for mark in marks]
