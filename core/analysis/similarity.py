"""Heads that do nearly the same: distances between attention maps."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Patterns = NDArray[np.floating[Any]]


class SimilarHead(NamedTuple):
    """A head, and how far its rows are from those of the head asked about: 0 same, 1 disjoint."""

    layer: int
    head: int
    distance: float


def distances_to(
    patterns: Patterns, layer: int, head: int, rows: NDArray[np.bool_] | None = None
) -> NDArray[np.float32]:
    """Mean total variation distance of every head's rows to one head's: ``[layer, head]``.

    Of two rows that is half the sum of the absolute differences of their weights: what would have
    to move. Of the two heads below, one row is the same and one moves 0.5:

    >>> one, other = [[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]]
    >>> distances_to(np.array([[one, other]]), 0, 0).tolist()
    [[0.0, 0.25]]

    Args:
        patterns: attention weights ``[layer, head, query, key]``.
        layer, head: the head to compare with, counted from 0.
        rows: the rows that count, ``[query]``; ``None`` for all. Without any, all is 0.

    Raises:
        IndexError: there is no such head.
        ValueError: ``rows`` has another length than the maps.
    """
    layers, heads, queries, _ = patterns.shape
    if not (0 <= layer < layers and 0 <= head < heads):
        raise IndexError(f"there is no head {head} in layer {layer} of {layers} x {heads} maps.")
    if rows is not None and rows.shape != (queries,):
        raise ValueError(f"marks of shape {rows.shape} do not fit maps of {queries} rows.")
    counted = np.flatnonzero(np.ones(queries) if rows is None else rows)
    everything = len(counted) == queries
    own = patterns[layer, head] if everything else patterns[layer, head, counted]
    found = np.zeros((layers, heads), dtype=np.float32)
    difference = np.empty_like(own)  # one map, which stays in the processor's cache
    for number in np.ndindex(layers, heads):
        other = patterns[number] if everything else patterns[number][counted]
        np.abs(np.subtract(other, own, out=difference), out=difference)
        found[number] = difference.sum() / (2 * max(len(counted), 1))
    return found


def nearest_heads(
    patterns: Patterns, layer: int, head: int, *, count: int, rows: NDArray[np.bool_] | None = None
) -> list[SimilarHead]:
    """The other heads of all layers whose rows are nearest, the nearest first.

    Args:
        patterns: attention weights ``[layer, head, query, key]``.
        layer, head: the head to compare with, counted from 0.
        count: how many at most.
        rows: as in :func:`distances_to`, as are the errors.
    """
    distances = distances_to(patterns, layer, head, rows)
    heads = distances.shape[1]
    order = np.argsort(distances, axis=None, kind="stable")
    others = [divmod(int(at), heads) for at in order if int(at) != layer * heads + head]
    return [SimilarHead(near, at, float(distances[near, at])) for near, at in others[:count]]
