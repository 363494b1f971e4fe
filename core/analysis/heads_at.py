"""Which heads attend to a token, and what they attend to from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Patterns = NDArray[np.floating[Any]]


class HeadOnto(NamedTuple):
    """A head that attends to a token.

    Attributes:
        layer, head: counted from 0.
        share: mean weight that the rows of other tokens put on it.
        query: the token that puts most on it.
        weight: that token's weight.
    """

    layer: int
    head: int
    share: float
    query: int
    weight: float


class HeadFrom(NamedTuple):
    """A head and what it attends to from a token.

    Attributes:
        layer, head: counted from 0.
        key: the token it attends to most.
        weight: on that token.
    """

    layer: int
    head: int
    key: int
    weight: float


def heads_onto(
    patterns: Patterns, token: int, *, special: Sequence[bool] | None = None
) -> list[HeadOnto]:
    """All heads, those first whose other tokens attend most to one token.

    The rows of tokens 0 and 2 put 0.2 and 0.8 on token 1 of this map:

    >>> pattern = np.array([[0.8, 0.2, 0.0], [0.0, 1.0, 0.0], [0.1, 0.8, 0.1]])
    >>> [(one.share, one.query, one.weight) for one in heads_onto(pattern[None, None], 1)]
    [(0.5, 2, 0.8)]

    Args:
        patterns: attention weights ``[layer, head, query, key]`` of a text onto itself.
        token: position, counted from 0.
        special: marks of tokens whose rows do not count, ``[query]``; ``None`` for none.

    Returns:
        One entry a head; none if no row counts.

    Raises:
        IndexError: there is no such token.
        ValueError: ``special`` has another length than the maps.
    """
    others = _counted(patterns, token, special)
    if not len(others):
        return []
    column = patterns[:, :, others, token]  # [layer, head, query]
    shares, strongest, weights = column.mean(-1), others[column.argmax(-1)], column.max(-1)
    return [
        HeadOnto(*at, float(shares[at]), int(strongest[at]), float(weights[at]))
        for at in _ranked(shares)
    ]


def heads_from(
    patterns: Patterns, token: int, *, special: Sequence[bool] | None = None
) -> list[HeadFrom]:
    """All heads, those first that attend most to a single other token from one token.

    The row of token 1 of this map puts 0.7 on token 2:

    >>> pattern = np.array([[1.0, 0.0, 0.0], [0.2, 0.1, 0.7], [1.0, 0.0, 0.0]])
    >>> [(one.key, one.weight) for one in heads_from(pattern[None, None], 1)]
    [(2, 0.7)]

    Args:
        patterns: attention weights ``[layer, head, query, key]`` of a text onto itself.
        token: position, counted from 0.
        special: marks of tokens that do not count as attended to, ``[key]``; ``None`` for none.

    Returns and raises: as :func:`heads_onto`.
    """
    others = _counted(patterns, token, special)
    if not len(others):
        return []
    row = patterns[:, :, token, others]  # [layer, head, key]
    strongest, weights = others[row.argmax(-1)], row.max(-1)
    return [HeadFrom(*at, int(strongest[at]), float(weights[at])) for at in _ranked(weights)]


def _counted(patterns: Patterns, token: int, special: Sequence[bool] | None) -> NDArray[np.intp]:
    """The positions of the other tokens that count."""
    count = patterns.shape[-1]
    if not 0 <= token < count:
        raise IndexError(f"there is no token {token} in maps of {count} tokens.")
    marks = np.zeros(count, dtype=np.bool_) if special is None else np.array(special, np.bool_)
    if marks.shape != (count,):
        raise ValueError(f"{len(marks)} special marks do not fit maps of {count} tokens.")
    marks[token] = True
    return np.flatnonzero(~marks)


def _ranked(values: NDArray[np.floating[Any]]) -> list[tuple[int, int]]:
    order = np.argsort(-values, axis=None, kind="stable")
    return [divmod(int(at), values.shape[1]) for at in order]
