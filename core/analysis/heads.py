"""What a head does in one text, as three numbers: how far it looks, how broadly, how much it rests.

Mean distance after Jesse Vig and Yonatan Belinkov, "Analyzing the Structure of Attention in a
Transformer Language Model" (2019); entropy after Kevin Clark, Urvashi Khandelwal, Omer Levy and
Christopher D. Manning, "What Does BERT Look At? An Analysis of BERT's Attention" (2019), 3.3; the
first token as a sink after Xiao et al., "Efficient Streaming Language Models with Attention Sinks"
(2023), 3.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.analysis.rows import entropy_bits
from core.parallel import in_threads

Marks = NDArray[np.bool_]
Values = NDArray[np.float64]


class HeadMeasures(NamedTuple):
    """Means over the rows of each head, ``[layer, head]`` each.

    Attributes:
        distance: from query to key, see :func:`measure_heads`.
        entropy: in bits.
        first: share of the weight on the first key.
    """

    distance: Values
    entropy: Values
    first: Values


def telling_rows(special: Sequence[bool], masked: Marks) -> Marks:
    """The rows that say something of a head: ``[query]``.

    A row that may see one key alone is the same in every head, and what special tokens attend to
    says little about a text. The first of three tokens of a decoder sees itself alone, the last one
    is special:

    >>> causal = np.triu(np.ones((3, 3), dtype=np.bool_), k=1)
    >>> telling_rows([False, False, True], causal).tolist()
    [False, True, False]

    Args:
        special: marks of tokens that the tokenizer added, ``[query]``.
        masked: ``[query, key]``, True where the query may not see the key: padding, what comes
            later.

    Raises:
        ValueError: the marks are not one a row.
    """
    if len(special) != len(masked):
        raise ValueError(f"{len(special)} special marks do not fit a mask of {len(masked)} rows.")
    return ~np.array(special, dtype=np.bool_) & ((~masked).sum(axis=1) > 1)


def measure_heads(
    patterns: NDArray[np.floating[Any]], rows: Marks, *, across: bool = False
) -> HeadMeasures:
    """Measure every head.

    Row 1 of the one map below looks half at itself and half one token back, row 2 all at token 0:

    >>> pattern = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    >>> found = measure_heads(pattern[None, None], np.array([False, True, True]))
    >>> [float(one[0, 0]) for one in found]
    [1.25, 0.5, 0.75]

    Args:
        patterns: attention weights ``[layer, head, query, key]``; rows that do not count may hold
            anything.
        rows: those that count, ``[query]``; at least one.
        across: the keys are another text. The distance then is how far the place of the key in its
            text is from the place of the query in its own, both from 0 for the first token to 1 for
            the last; else it is in tokens.

    Raises:
        ValueError: no row counts, or the marks are not one a row.
    """
    queries, keys = patterns.shape[2:]
    if rows.shape != (queries,) or not rows.any():
        raise ValueError(f"of {queries} rows at least one counts, not {rows.astype(int).tolist()}.")
    places = [np.arange(size, dtype=np.float64) for size in (queries, keys)]
    if across:
        places = [place / max(len(place) - 1, 1) for place in places]
    distances = np.abs(places[1][None, :] - places[0][rows, None])  # [row, key]

    def measure(maps: NDArray[np.floating[Any]]) -> tuple[Values, Values, Values]:
        counted = [pattern[rows].astype(np.float64) for pattern in maps]
        return (
            np.array([(one * distances).sum(axis=1).mean() for one in counted]),
            np.array([entropy_bits(one).mean() for one in counted]),
            np.array([one[:, 0].mean() for one in counted]),
        )

    found = in_threads(measure, patterns)
    return HeadMeasures(*(np.stack(parts) for parts in zip(*found, strict=True)))
