"""Simple roles of attention heads: what a head attends to, as a share of its attention.

The kinds of head follow Kevin Clark, Urvashi Khandelwal, Omer Levy and Christopher D. Manning,
"What Does BERT Look At? An Analysis of BERT's Attention" (2019): relative position (3.1), special
tokens and punctuation (3.2), focused or broad attention (3.3). The map of a text onto itself has as
many rows as columns; a role marks cells ``[query, key]`` of it, and a head's share is what it puts
on them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.parallel import in_threads
from core.tokenisation.display import SPACE

Patterns = NDArray[np.floating[Any]]
Marks = NDArray[np.bool_]
Shares = NDArray[np.floating[Any]]

CONVINCING: Final = 0.5
# In a shorter text the previous token, the first and a special one are often the same.
FEWEST_ORDINARY_TOKENS: Final = 4

_TINY: Final = 1e-30


@dataclass(frozen=True)
class NotableHead:
    """The head that plays a role best in one text.

    Attributes:
        role: ``previous``, ``next``, ``itself``, ``first``, ``separator``, ``punctuation``,
            ``repeated`` or ``broad``.
        layer, head: counted from 0.
        share: of its attention, between 0 and 1; for ``broad`` that of :func:`broadness`.
    """

    role: str
    layer: int
    head: int
    share: float


def offset_cells(tokens: int, offset: int) -> Marks:
    """Cells whose key stands `offset` tokens after their query: ``[query, key]``.

    >>> offset_cells(3, -1).astype(int).tolist()
    [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    """
    return np.eye(tokens, k=offset, dtype=np.bool_)


def column_cells(columns: Marks) -> Marks:
    """Cells in the marked columns, the same for every query: ``[query, key]``.

    >>> column_cells(np.array([True, False, False])).astype(int).tolist()
    [[1, 0, 0], [1, 0, 0], [1, 0, 0]]
    """
    return np.broadcast_to(columns, (len(columns), len(columns)))


def repeated_cells(tokens: Sequence[str]) -> Marks:
    """Cells whose key is the query's token at another position: ``[query, key]``.

    >>> repeated_cells(["the", "cat", "the"]).astype(int).tolist()
    [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    """
    names = np.array(tokens, dtype=object)
    return (names[:, None] == names[None, :]) & ~offset_cells(len(names), 0)


def punctuation_columns(tokens: Sequence[str]) -> Marks:
    """Tokens made of punctuation alone: ``[token]``.

    >>> punctuation_columns(["cat", ".", "[SEP]"]).astype(int).tolist()
    [0, 1, 0]
    """
    return np.array([_is_punctuation(token) for token in tokens], dtype=np.bool_)


def share_on(patterns: Patterns, cells: Marks) -> Shares:
    """Mean share that each head puts on marked cells: ``[layer, head]``.

    Rows without a marked cell do not count; without any, the share is 0.

    Of the one map below, rows 1 and 2 have a previous token and put 0.7 and 0.9 on it:

    >>> pattern = np.array([[1.0, 0.0, 0.0], [0.7, 0.2, 0.1], [0.0, 0.9, 0.1]])
    >>> share_on(pattern[None, None], offset_cells(3, -1)).round(2).tolist()
    [[0.8]]

    Args:
        patterns: attention weights ``[layer, head, query, key]``, finite.
        cells: ``[query, key]``.
    """
    return shares_on(patterns, cells[None])[0]


def shares_on(patterns: Patterns, roles: Marks) -> Shares:
    """:func:`share_on` for several sets of cells at once: ``[role, layer, head]``.

    Args:
        patterns: attention weights ``[layer, head, query, key]``, finite.
        roles: ``[role, query, key]``.
    """
    count, queries, keys = roles.shape
    rows = np.maximum(roles.any(axis=2).sum(axis=1), 1)  # [role]
    weights = (roles / rows[:, None, None]).astype(patterns.dtype)
    # As one product of matrices the maps are read once for all roles.
    flat = patterns.reshape(-1, queries * keys)
    return (flat @ weights.reshape(count, -1).T).T.reshape(count, *patterns.shape[:2])


def entropy(patterns: Patterns) -> Shares:
    """Entropy of every row in nats: ``[layer, head, query]``.

    0 where a row attends to one token, log(keys) where it attends to all alike:

    >>> pattern = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3]])
    >>> abs(entropy(pattern[None, None])).round(3).tolist()
    [[[0.0, 0.693, 1.099]]]
    """
    return np.stack(in_threads(_entropy_of_layer, patterns))


def _entropy_of_layer(maps: Patterns) -> Shares:
    found = np.empty(maps.shape[:-1], dtype=maps.dtype)
    terms = np.empty(maps.shape[1:], dtype=maps.dtype)  # one map stays in the cache
    for head, pattern in enumerate(maps):
        np.maximum(pattern, _TINY, out=terms)
        np.log(terms, out=terms)
        np.multiply(terms, pattern, out=terms)
        found[head] = -terms.sum(axis=-1)
    return found


def broadness(patterns: Patterns, rows: Marks) -> Shares:
    """Mean share of all keys that the marked rows spread over: ``[layer, head]``.

    A row of entropy H is as broad as one that attends to exp(H) keys alike: 1 of 3, 2 of 3 and 3 of
    3 in the example of :func:`entropy`:

    >>> pattern = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3]])
    >>> broadness(pattern[None, None], np.array([True, True, True])).round(3).tolist()
    [[0.667]]
    """
    if not rows.any():
        return np.zeros(patterns.shape[:2], dtype=patterns.dtype)
    spread = np.exp(entropy(patterns)[:, :, rows]) / patterns.shape[-1]
    return spread.mean(axis=-1)


def notable_heads(
    patterns: Patterns, special: Sequence[bool], tokens: Sequence[str]
) -> list[NotableHead]:
    """The strongest head of every role in one text, where its share is convincing.

    Only rows of ordinary tokens count: what special tokens attend to says little about a text.

    Args:
        patterns: attention weights ``[layer, head, query, key]`` of a text onto itself.
        special: one mark a token, True where the tokenizer added it.
        tokens: the tokens.

    Returns:
        At most one head a role, in the order of :class:`NotableHead`; none for a text of fewer
        than four ordinary tokens.

    Raises:
        ValueError: when lengths disagree.
    """
    count = len(tokens)
    if patterns.shape[2:] != (count, count) or len(special) != count:
        raise ValueError(
            f"{count} tokens and {len(special)} special marks do not fit maps of "
            f"{patterns.shape[2]} x {patterns.shape[3]}."
        )
    added = np.array(special, dtype=np.bool_)
    ordinary = ~added
    if ordinary.sum() < FEWEST_ORDINARY_TOKENS:
        return []
    first = np.arange(count) == 0
    between = ordinary[:, None] & ordinary[None, :]  # from an ordinary token to another one
    onto = np.broadcast_to(ordinary[:, None], between.shape)  # from an ordinary token
    roles = {
        "previous": offset_cells(count, -1) & between,
        "next": offset_cells(count, 1) & between,
        "itself": offset_cells(count, 0) & between,
        "first": column_cells(first) & onto,
        "separator": column_cells(added & ~first) & onto,
        "punctuation": column_cells(punctuation_columns(tokens) & ordinary) & onto,
        "repeated": repeated_cells(tokens) & between,
    }
    shares = dict(zip(roles, shares_on(patterns, np.stack(list(roles.values()))), strict=True))
    shares["broad"] = broadness(patterns, ordinary)
    strongest = [_strongest(role, found) for role, found in shares.items()]
    return [head for head in strongest if head.share > CONVINCING]


def _strongest(role: str, shares: Shares) -> NotableHead:
    layer, head = np.unravel_index(int(shares.argmax()), shares.shape)
    return NotableHead(role, int(layer), int(head), float(shares[layer, head]))


def _is_punctuation(token: str) -> bool:
    letters = token.removeprefix(SPACE)
    return bool(letters) and all(unicodedata.category(one).startswith("P") for one in letters)
