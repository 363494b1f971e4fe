"""Attention weights as bytes, and as thumbnails, for the eye of a reader."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

LARGEST_BYTE: Final = 255
THUMBNAIL: Final = 64

Weights = NDArray[np.floating[Any]]


def row_scales(weights: Weights, masked_rows: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Largest weight of every row ``[layer, head, query]``; 0 for a masked row."""
    return np.where(masked_rows, 0, weights.max(axis=-1)).astype("<f4")


def quantise(maps: Weights, scales: NDArray[np.float32]) -> NDArray[np.uint8]:
    """One byte a weight, 255 for the largest of its row.

    Args:
        maps: ``[head, query, key]``; rows of scale 0 may hold anything.
        scales: largest weight of each row, ``[head, query]``.
    """
    levels = np.zeros(maps.shape, dtype=np.uint8)
    drawn = scales > 0
    # One head at a time: its steps stay in the processor's cache.
    for head, pattern in enumerate(maps):
        rows = slice(None) if drawn[head].all() else drawn[head]
        steps = np.divide(pattern[rows], scales[head, rows, None], dtype=np.float32)
        steps *= LARGEST_BYTE
        steps += 0.5  # the cast cuts off, so it rounds to the nearest
        levels[head, rows] = steps
    return levels


def block_size(length: int) -> int:
    """How many rows or columns of a map one of its thumbnail stands for."""
    return -(-length // THUMBNAIL)


def thumbnails(
    levels: NDArray[np.uint8], scales: NDArray[np.float32]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Small maps in which a cell holds the largest of its block, ``[head, row, column]``.

    With blocks of 2 x 2 and rows of scale 0.4, 0.8 and 0.2::

        255  51 | 0          weights  255 | 128      relative  255 | 204
        255   0 | 128                  64 |   0                255 |   0
        --------+----
        255   0 | 0

    Args:
        levels: bytes of :func:`quantise`, ``[head, query, key]``.
        scales: ``[head, query]``.

    Returns:
        The weights, 255 for the largest of the head, and the bytes themselves, 255 for the largest
        of the row.
    """
    heads, queries, keys = levels.shape
    down, across = block_size(queries), block_size(keys)
    shape = (heads, -(-queries // down), -(-keys // across))
    weights = np.zeros(shape, dtype=np.uint8)
    relative = np.zeros(shape, dtype=np.uint8)
    for head in range(heads):
        narrow = _pool(levels[head].T, across).T  # [query, column]
        relative[head] = _pool(narrow, down)
        largest = scales[head].max()
        if largest > 0:
            shares = narrow * (scales[head, :, None] / largest)
            weights[head] = np.rint(_pool(shares, down))
    return weights, relative


def _pool(array: NDArray[Any], block: int) -> NDArray[Any]:
    """The largest of every `block` rows; the last block may have fewer."""
    largest = array[::block].copy()
    for offset in range(1, block):
        rows = array[offset::block]
        np.maximum(largest[: len(rows)], rows, out=largest[: len(rows)])
    return largest
