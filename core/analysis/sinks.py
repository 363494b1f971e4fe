"""Where heads rest: the key that takes most of a head's attention whatever the query is.

Xiao et al. 2023, "Efficient Streaming Language Models with Attention Sinks", section 3.1; for the
separators of BERT Clark et al. 2019, "What Does BERT Look At?", section 3.2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Sinks(NamedTuple):
    """Of every head, the key with the largest mean weight.

    Attributes:
        keys: its position, ``[layer, head]``.
        shares: the mean of the weights that the rows put on it, ``[layer, head]``.
    """

    keys: NDArray[np.intp]
    shares: NDArray[np.float32]


def find_sinks(patterns: NDArray[np.floating[Any]], rows: NDArray[np.bool_] | None = None) -> Sinks:
    """Find the sink of every head.

    Of the one map below, key 0 takes 0.9 and 0.6 of two rows:

    >>> pattern = np.array([[0.9, 0.1, 0.0], [0.6, 0.0, 0.4]], dtype=np.float32)
    >>> found = find_sinks(pattern[None, None])
    >>> found.keys.tolist(), found.shares.round(2).tolist()
    ([[0]], [[0.75]])

    Args:
        patterns: attention weights ``[layer, head, query, key]``.
        rows: the rows that count, ``[query]``; ``None`` for all. Without any, the shares are 0.

    Raises:
        ValueError: ``rows`` has another length than the maps.
    """
    queries = patterns.shape[2]
    counted = np.ones(queries, dtype=np.bool_) if rows is None else rows
    if counted.shape != (queries,):
        raise ValueError(f"marks of shape {counted.shape} do not fit maps of {queries} rows.")
    # A mean as a product: one pass over the maps, without a copy of the rows that count.
    weights = counted.astype(patterns.dtype) / max(int(counted.sum()), 1)
    means = weights @ patterns  # [layer, head, key]
    keys = means.argmax(axis=-1)
    shares = np.take_along_axis(means, keys[..., None], axis=-1)[..., 0]
    return Sinks(keys, shares.astype(np.float32))
