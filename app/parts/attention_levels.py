"""What a map's numbers come down to: row maxima, sinks, bytes and thumbnails.

Maps of 512 tokens and 144 heads are 151 MB. Everything here goes head by head, so that the steps
of one map stay in the processor's cache, and reads the whole once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.analysis.sinks import find_sinks
from core.parallel import in_threads

LARGEST_BYTE: Final = 255
THUMBNAIL: Final = 64

Weights = NDArray[np.floating[Any]]


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
            raise ValueError("not all finite")
        if smallest < 0:
            raise ValueError("not all zero or more")
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
