"""Attention of two passes on the same rows and columns, and what differs between them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from core.tasks.attend import AttendResult, AttentionMap
from core.tasks.errors import (
    NothingToCompareError,
    TranslationsDifferError,
    WordsDifferError,
)
from core.tokenisation import Encoding
from core.tokenisation.encoding import Word
from core.tokenisation.words import split_words

Groups = tuple[tuple[int, ...], ...]
AttentionKind = Literal["text", "target", "cross"]

_MASKS = re.compile(r"\[mask\]|<mask>", re.IGNORECASE)
KINDS: Final[tuple[AttentionKind, ...]] = ("text", "target", "cross")


@dataclass(frozen=True)
class SharedAxis:
    """The rows, or the columns, that two maps have in common.

    Attributes:
        by: whether each stands for a token or for a word; a word here may be several that a
            piece of either vocabulary holds together.
        left, right: positions of the tokens that each stands for.
        left_labels, right_labels: how each is called on either side.
        special: whether each is a token that the tokenizer added.
        replaced: numbers of those where the texts have different words.
    """

    by: Literal["tokens", "words"]
    left: Groups
    right: Groups
    left_labels: tuple[str, ...]
    right_labels: tuple[str, ...]
    special: tuple[bool, ...]
    replaced: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.left)


def kinds_of(result: AttendResult) -> dict[AttentionKind, AttentionMap]:
    """The kinds of attention of a pass by what attends to what, whatever a model calls them.

    ``text``: within the text that was typed; ``target``: within the one that is written;
    ``cross``: from the one that is written to the one that was typed.
    """
    if result.target is None:
        return {"text": result.maps[0]}
    names: dict[str, AttentionKind] = {"encoder": "text", "decoder": "target", "cross": "cross"}
    return {names[one.name]: one for one in result.maps}


def common_kinds(left: AttendResult, right: AttendResult) -> tuple[AttentionKind, ...]:
    """The kinds that both have, at least one.

    Raises:
        NothingToCompareError: there is none.
    """
    first, second = kinds_of(left), kinds_of(right)
    common = tuple(kind for kind in KINDS if kind in first and kind in second)
    if not common:
        raise NothingToCompareError(tuple(first), tuple(second))
    return common


def share_axis(left: Encoding, right: Encoding, *, by_words: bool = False) -> SharedAxis:
    """Put the tokens of two encodings side by side.

    Token by token, if both texts were cut into the same pieces; a word that was replaced by
    another one may differ in its pieces, not in their number. Else word by word, through the
    offsets of the tokens: special tokens are left out, and words that share a piece become one.

    ``The cats`` as ``The ca ##ts`` and as ``The cats`` has the rows The and cats; their tokens are
    ``(0,) (1, 2)`` and ``(0,) (1,)``.

    Args:
        left, right: what was read.
        by_words: word by word in any case.

    Raises:
        WordsDifferError: another number of words, or more than half of them differ, so that there
            is no telling which ones belong together.
    """
    first, second = _read_words(left), _read_words(right)
    replaced = _replaced(first, second)
    if not by_words and _same_pieces(first, second, replaced):
        positions = tuple((position,) for position in range(len(left)))
        differing = (at for at, words in first.of_tokens.items() if replaced & set(words))
        return SharedAxis(
            "tokens",
            positions,
            positions,
            left.pieces,
            right.pieces,
            left.special,
            tuple(differing),
        )
    groups = _joined(len(first.spans), [*first.of_tokens.values(), *second.of_tokens.values()])
    found = [(words, first.tokens_in(words), second.tokens_in(words)) for words in groups]
    # Words that a side has no token for cannot be compared: those of a cut text, for example.
    kept = [one for one in found if one[1] and one[2]]
    return SharedAxis(
        "words",
        tuple(tokens for _words, tokens, _ in kept),
        tuple(tokens for _words, _, tokens in kept),
        tuple(first.label(words) for words, _, _ in kept),
        tuple(second.label(words) for words, _, _ in kept),
        (False,) * len(kept),
        tuple(at for at, (words, _, _) in enumerate(kept) if replaced & set(words)),
    )


def share_rows(
    left: AttendResult, right: AttendResult, kind: AttentionKind, *, by_words: bool = False
) -> SharedAxis:
    """The rows that a kind of attention has on both sides; see :func:`share_axis`.

    Raises:
        WordsDifferError: as there.
        TranslationsDifferError: the same of what decoders have read.
    """
    first, second = (kinds_of(one)[kind].query for one in (left, right))
    try:
        return share_axis(first, second, by_words=by_words)
    except WordsDifferError as error:
        if kind == "text":
            raise
        facts = (error.left, error.right, error.replaced, error.first, error.second)
        raise TranslationsDifferError(*facts) from error


def partner_words(left: Encoding, right: Encoding, numbers: Sequence[int]) -> tuple[int, ...]:
    """The numbers that words of one encoding have in another one of the same words.

    Vocabularies number words differently where a piece of one holds several together.

    Raises:
        WordsDifferError: as in :func:`share_axis`.
    """
    first, second = _read_words(left), _read_words(right)
    _replaced(first, second)
    tokens = [at for at, number in enumerate(left.words) if number in numbers]
    wanted = {word for at in tokens for word in first.of_tokens.get(at, ())}
    found = {
        right.words[at] for at, words in second.of_tokens.items() if wanted.intersection(words)
    }
    return tuple(sorted(number for number in found if number is not None))


def merge(weights: NDArray[Any], rows: Groups, columns: Groups) -> NDArray[np.float32]:
    """Weights between groups of tokens: summed over the keys, averaged over the queries.

    With keys ``(0,) (1, 2)`` and queries ``(0,) (1, 2)``::

        0.5 0.3 0.2                     0.50 0.50
        0.1 0.6 0.3     becomes         0.25 0.75
        0.4 0.4 0.2

    so a row still adds up to 1 if every token belongs to a group.

    Args:
        weights: ``[..., query, key]``.
        rows: positions of the queries of every group.
        columns: positions of the keys of every group.

    Returns:
        ``[..., row, column]``.
    """
    queries, keys = weights.shape[-2:]
    if _is_every(rows, queries) and _is_every(columns, keys):
        return np.asarray(weights, dtype=np.float32)
    gather = np.zeros((keys, len(columns)), dtype=np.float32)
    for column, members in enumerate(columns):
        gather[list(members), column] = 1.0
    average = np.zeros((len(rows), queries), dtype=np.float32)
    for row, members in enumerate(rows):
        average[row, list(members)] = 1.0 / len(members)
    return np.asarray(average @ (weights @ gather), dtype=np.float32)


@dataclass(frozen=True, eq=False)
class PairedMaps:
    """Two kinds of attention on common rows and columns.

    Attributes:
        rows, columns: what they are.
        left, right: weights ``[layer, head, row, column]``; the counts of layers and heads may
            differ.
        left_masked, right_masked: boolean ``[row, column]``, True where no query of the row may
            see any key of the column; the weight there is 0.
    """

    rows: SharedAxis
    columns: SharedAxis
    left: NDArray[np.float32]
    right: NDArray[np.float32]
    left_masked: NDArray[np.bool_]
    right_masked: NDArray[np.bool_]

    def difference(self, left: tuple[int, int], right: tuple[int, int]) -> NDArray[np.float32]:
        """What the right head has more than the left one, ``[row, column]``.

        Args:
            left, right: layer and head.
        """
        found: NDArray[np.float32] = self.right[right] - self.left[left]
        return found

    def apart(self, left: tuple[int, int], right: tuple[int, int]) -> float:
        """How much of a row's attention lies elsewhere, in the mean over the rows: 0 to 1.

        Half the sum of all absolute differences of a row (total variation distance).
        """
        return float(np.abs(self.difference(left, right)).sum(axis=-1).mean() / 2)


def compare_attention(
    left: AttendResult,
    right: AttendResult,
    *,
    kind: AttentionKind | None = None,
    by_words: bool = False,
    heads: tuple[tuple[int, int], tuple[int, int]] | None = None,
) -> PairedMaps:
    """Put the attention of two passes on the same rows and columns.

    Args:
        left, right: what :func:`core.tasks.attend` gave.
        kind: one of those that both have; the first one when None.
        by_words: word by word in any case; see :func:`share_axis`.
        heads: layer and head of the only map wanted of either side; they stand as layer 0, head 0.

    Raises:
        WordsDifferError, TranslationsDifferError: as in :func:`share_rows`.
        NothingToCompareError: there is no such kind on both sides.
    """
    common = common_kinds(left, right)
    if kind is not None and kind not in common:
        raise NothingToCompareError(tuple(kinds_of(left)), tuple(kinds_of(right)))
    kind = kind or common[0]
    first, second = (kinds_of(one)[kind] for one in (left, right))
    rows, columns = _axes(left, right, kind, by_words=by_words)
    if rows.by != columns.by:  # by words on one side would count special tokens on the other
        rows, columns = _axes(left, right, kind, by_words=True)
    wanted = heads or (None, None)
    return PairedMaps(
        rows,
        columns,
        merge(_chosen(first.patterns, wanted[0]), rows.left, columns.left),
        merge(_chosen(second.patterns, wanted[1]), rows.right, columns.right),
        merge(first.masked, rows.left, columns.left) >= _full(columns.left),
        merge(second.masked, rows.right, columns.right) >= _full(columns.right),
    )


def _axes(
    left: AttendResult, right: AttendResult, kind: AttentionKind, *, by_words: bool
) -> tuple[SharedAxis, SharedAxis]:
    rows = share_rows(left, right, kind, by_words=by_words)
    if kind != "cross":
        return rows, rows
    return rows, share_axis(left.encoding, right.encoding, by_words=by_words)


def _chosen(patterns: NDArray[np.float32], head: tuple[int, int] | None) -> NDArray[np.float32]:
    if head is None:
        return patterns
    layer, number = head
    return patterns[layer : layer + 1, number : number + 1]


def _full(columns: Groups) -> NDArray[np.float32]:
    """The number of keys of every column: what masks add up to where all of them are set."""
    return np.array([len(members) - 1e-3 for members in columns], dtype=np.float32)


@dataclass(frozen=True)
class _Words:
    """The words of a text as a person sees them, whatever the vocabulary holds together.

    Attributes:
        encoding: the text in pieces.
        spans: where every word stands.
        of_tokens: numbers of the words that each token stands for; of those that stand for some.
    """

    encoding: Encoding
    spans: tuple[Word, ...]
    of_tokens: dict[int, tuple[int, ...]]

    def spelling(self, word: int) -> str:
        """A word as it is written; empty where there is none of this number."""
        return self.label((word,)) if word < len(self.spans) else ""

    def label(self, words: tuple[int, ...]) -> str:
        """Words that stand together."""
        first, last = self.spans[words[0]], self.spans[words[-1]]
        return self.encoding.texts[first.segment][first.start : last.end]

    def tokens_in(self, words: tuple[int, ...]) -> tuple[int, ...]:
        """Positions of the tokens of some words."""
        return tuple(at for at, found in self.of_tokens.items() if found[0] in words)


def _read_words(encoding: Encoding) -> _Words:
    # A mask is one word, and all its spellings have one length.
    texts = [_MASKS.sub(lambda mask: "m" * len(mask[0]), text) for text in encoding.texts]
    spans = [
        Word(segment, start, end)
        for segment, text in enumerate(texts)
        for start, end in split_words(text)
    ]
    of_tokens = {}
    for at, (start, end) in enumerate(encoding.offsets):
        if encoding.words[at] is None:
            continue
        # Of words in order, those that end behind the token's start and start before its end.
        segment = encoding.segments[at]
        first = bisect_right(spans, (segment, start), key=lambda word: (word.segment, word.end))
        last = bisect_left(spans, (segment, end), key=lambda word: (word.segment, word.start))
        if first < last:
            of_tokens[at] = tuple(range(first, last))
    return _Words(encoding, tuple(spans), of_tokens)


def _replaced(left: _Words, right: _Words) -> set[int]:
    """Numbers of the words that are others in the second text."""
    counts = len(left.spans), len(right.spans)
    differing = [word for word in range(min(counts)) if _is_other(left, right, word)]
    moved = [span.segment for span in left.spans] != [span.segment for span in right.spans]
    if moved or 2 * len(differing) > counts[0]:
        at = differing[0] if differing else min(counts)
        raise WordsDifferError(*counts, len(differing), left.spelling(at), right.spelling(at))
    return set(differing)


def _is_other(left: _Words, right: _Words, word: int) -> bool:
    spellings = [_MASKS.sub("", one.spelling(word).casefold()) for one in (left, right)]
    return spellings[0] != spellings[1]


def _same_pieces(left: _Words, right: _Words, replaced: set[int]) -> bool:
    one, other = left.encoding, right.encoding
    if (one.special, one.segments) != (other.special, other.segments):
        return False
    if left.of_tokens != right.of_tokens:
        return False
    return all(
        piece == partner or bool(replaced.intersection(left.of_tokens.get(at, ())))
        for at, (piece, partner) in enumerate(zip(one.tokens, other.tokens, strict=True))
    )


def _joined(count: int, shared: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Words in groups, so that none of the shared ones are torn apart."""
    clings = np.zeros(count + 1, dtype=np.bool_)
    for words in shared:
        clings[words[0] + 1 : words[-1] + 1] = True
    number = np.cumsum(~clings[:count])
    return [tuple(group) for _, group in groupby(range(count), key=lambda word: int(number[word]))]


def _is_every(groups: Groups, count: int) -> bool:
    return groups == tuple((position,) for position in range(count))
