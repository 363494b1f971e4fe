"""What one row of attention says in numbers: how spread it is, how far, on what.

Entropy and the shares on special tokens follow Kevin Clark, Urvashi Khandelwal, Omer Levy and
Christopher D. Manning, "What Does BERT Look At? An Analysis of BERT's Attention" (2019), 3.2 and
3.3; the mean distance follows Jesse Vig and Yonatan Belinkov, "Analyzing the Structure of Attention
in a Transformer Language Model" (2019). A row holds weights ``[key]`` that sum to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.floating[Any]]
Marks = NDArray[np.bool_]
Values = NDArray[np.float64]


@dataclass(frozen=True)
class RowMeasures:
    """Means over one or more rows.

    Attributes:
        sum: of the weights; 1 up to rounding.
        entropy: in bits; 0 where a row attends to one key alone.
        most_entropy: in bits, of a row that attends to all keys it may see alike: log2 of their
            number.
        distance: mean absolute distance from query to key, in tokens.
        first: share on the first token.
        separators: share on the special tokens after the first.
    """

    sum: float
    entropy: float
    most_entropy: float
    distance: float
    first: float
    separators: float


def measure_rows(
    rows: Rows, queries: Sequence[int], special: Sequence[bool], masked: Marks | None = None
) -> RowMeasures:
    """Measure rows of one map of a text onto itself; of several rows, the mean.

    The row of token 1 below is one bit of entropy and attends half to itself, half two tokens on:

    >>> found = measure_rows(np.array([[0, 0.5, 0, 0.5]]), [1], [True, False, False, True])
    >>> found.entropy, found.most_entropy, found.distance, found.first, found.separators
    (1.0, 2.0, 1.0, 0.0, 0.5)

    Args:
        rows: weights ``[row, key]``, at least one row.
        queries: position of each row's own token, ``[row]``.
        special: one mark a key, True where the tokenizer added it.
        masked: ``[row, key]``, True where a row may not attend; ``None`` where all may.

    Raises:
        ValueError: when lengths disagree, or there is no row.
    """
    if rows.ndim != 2 or not len(rows) or rows.shape != (len(queries), len(special)):
        raise ValueError(
            f"{len(queries)} queries and {len(special)} keys do not fit rows of shape {rows.shape}."
        )
    weights = rows.astype(np.float64)
    after_first = np.array(special, dtype=np.bool_)
    after_first[0] = False
    seen = np.array([rows.shape[1]]) if masked is None else (~masked).sum(axis=1).clip(1)
    return RowMeasures(
        sum=float(weights.sum(axis=1).mean()),
        entropy=float(entropy_bits(weights).mean()),
        most_entropy=float(np.log2(seen).mean()),
        distance=float(mean_distance(weights, queries).mean()),
        first=float(weights[:, 0].mean()),
        separators=float(share_of(weights, after_first).mean()),
    )


def entropy_bits(rows: Rows) -> Values:
    """Entropy of every row in bits: ``[..., key]`` to ``[...]``.

    >>> entropy_bits(np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25, 0.25, 0.25, 0.25]])).tolist()
    [0.0, 1.0, 2.0]
    """
    weights = rows.astype(np.float64)
    logarithms = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
    return np.abs((weights * logarithms).sum(axis=-1))  # no minus zero


def mean_distance(rows: Rows, queries: Sequence[int]) -> Values:
    """Mean absolute distance from query to key in tokens: ``[row, key]`` to ``[row]``.

    >>> mean_distance(np.array([[0.5, 0, 0.5], [0, 0, 1]]), [0, 2]).tolist()
    [1.0, 0.0]
    """
    keys = np.arange(rows.shape[1])
    distances = np.abs(keys[None, :] - np.asarray(queries)[:, None])  # [row, key]
    return (rows.astype(np.float64) * distances).sum(axis=1)


def share_of(rows: Rows, columns: Marks) -> Values:
    """What every row puts on the marked columns: ``[..., key]`` to ``[...]``.

    >>> share_of(np.array([[0.25, 0.5, 0.25]]), np.array([True, False, True])).tolist()
    [0.5]
    """
    return rows.astype(np.float64)[..., columns].sum(axis=-1)
