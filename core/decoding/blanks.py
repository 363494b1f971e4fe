"""Filling blanks with exactly as many words as were asked for, or as many as the model wants.

A word is what ``str.split`` counts. Every piece is drawn from those that keep this promise, so that
it holds for any model, however badly trained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from core.tokenisation import MissingTokenError, Tokenizer
from core.tokenisation.blanks import SPACE, sentinel_ids

MOST_CONTINUATIONS = 12  # pieces after the first of a word
MOST_FREE = 32  # words of a blank whose size the model chooses

# What may come next, as rows of one table; sentinels are added where they are allowed.
_NOTHING, _BEGIN, _GO_ON, _EITHER = range(4)


def blank_pieces(tokenizer: Tokenizer, vocabulary: int) -> Tensor:
    """Which pieces may stand in a blank, boolean ``[4, vocabulary]``.

    Rows: none; those that begin a word, the lone ``▁`` among them; those that continue one; both.
    Special tokens may never, nor may what ``str.split`` would split, nor bytes, which could spell
    it.

    Args:
        tokenizer: of a SentencePiece vocabulary, whose words begin with ``▁``.
        vocabulary: rows of the model's table, of which some may have no piece.
    """
    special = {one.content for one in tokenizer.inner.get_added_tokens_decoder().values()}
    begins = torch.zeros(vocabulary, dtype=torch.bool)
    goes_on = torch.zeros(vocabulary, dtype=torch.bool)
    for piece, number in tokenizer.inner.get_vocab().items():
        rest = piece.removeprefix(SPACE)
        byte = piece.startswith("<0x") and piece.endswith(">")
        splits = SPACE in rest or any(char.isspace() for char in rest)
        if piece and not (piece in special or byte or splits):
            (goes_on if piece == rest else begins)[number] = True
    return torch.stack([begins & False, begins, goes_on, begins | goes_on])


def most_words(size: int | None) -> int:
    """Words that a blank of this size can get at most; ``None`` for a free one."""
    return MOST_FREE if size is None else size


@dataclass
class _Writing:
    """How far one text has come.

    Attributes:
        blank: the one that is being filled; -1 before the first.
        before: words of those that are filled.
        words: begun in it.
        continuations: pieces after the first of the present word.
        bare: whether the present word is a lone ``▁`` so far.
        pieces: of every blank.
    """

    blank: int = -1
    before: int = 0
    words: int = 0
    continuations: int = 0
    bare: bool = False
    pieces: list[list[int]] = field(default_factory=list)


class FilledBlanks:
    """The guide that makes a model fill blanks in their order, of given sizes or of its own.

    It demands the sentinel of every blank, then as many words, and at last the sentinel that no
    blank has, or the end where the vocabulary has no such sentinel. After the last word's pieces,
    twelve more at most, the next sentinel is forced; twelve more in any other word, the next word.
    In a free blank the next sentinel may follow any word, and has to follow the ``MOST_FREE``-th.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        sizes: Sequence[int | None],
        *,
        vocabulary: int,
        rows: int = 1,
        device: torch.device | str = "cpu",
    ) -> None:
        """Prepare.

        Args:
            tokenizer: its sentinels are at least as many as blanks.
            sizes: words of every blank; ``None`` for a free one.
            vocabulary: rows of the model's table.
            rows: texts that are written side by side.
            device: of the scores.

        Raises:
            MissingTokenError: no piece begins a word, or none continues one.
        """
        self.sizes = tuple(sizes)
        marks = sentinel_ids(tokenizer)[: len(sizes) + 1]
        self._marks = (*marks, tokenizer.sep_id)[: len(sizes) + 1]
        self._table = blank_pieces(tokenizer, vocabulary).to(device)
        if not self._table[_BEGIN].any() or not self._table[_GO_ON].any():
            raise MissingTokenError("word-beginning or word-continuing")
        self._bare_piece = tokenizer.inner.token_to_id(SPACE)  # None where there is none
        self._begins = frozenset(self._table[_BEGIN].nonzero()[:, 0].tolist())
        self._rows = [_Writing() for _ in range(rows)]

    @property
    def most(self) -> int:
        """Pieces of the longest text that may be written, sentinels included."""
        return sum(map(most_words, self.sizes)) * (1 + MOST_CONTINUATIONS) + len(self.sizes) + 1

    def allowed(self, rows: Sequence[int]) -> Tensor:
        """What may come next, boolean ``[row, vocabulary]``."""
        states = [self._state(self._rows[row]) for row in rows]
        kinds = torch.tensor([kind for kind, _ in states], device=self._table.device)
        allowed = self._table[kinds]
        for number, (_, mark) in enumerate(states):
            if mark is not None:
                allowed[number, mark] = True
        return allowed

    def guided(self, rows: Sequence[int], scores: Tensor) -> Tensor:
        """The scores without what may not come, and "the word is over" as likely as it was.

        A model says that a word is over by the beginning of another one or by the next sentinel.
        After the last word only the sentinel may say so: it gets the probability of both.
        Otherwise a comma that the model hardly expects would win, and another one after it. Before
        the last word of a given number, words that begin share the sentinel's, as they share
        their own.
        """
        scores = scores.float()
        starts = self._table[_BEGIN]
        starting = scores.masked_fill(~starts, -torch.inf).logsumexp(dim=-1)  # [row]
        guided = scores.masked_fill(~self.allowed(rows), -torch.inf)
        for number, row in enumerate(rows):
            now = self._rows[row]
            if now.words == 0 or now.bare:
                continue
            size, closing = self.sizes[now.blank], self._marks[now.blank + 1]
            over = starting[number].logaddexp(scores[number, closing])
            if now.words == most_words(size):
                guided[number, closing] = over
            elif size is not None:
                guided[number, starts] += over - starting[number]
        return guided

    def _state(self, row: _Writing) -> tuple[int, int | None]:
        """Which pieces may come next, and which sentinel."""
        if row.blank < 0:
            return _NOTHING, self._marks[0]
        if row.words == 0:
            return _BEGIN, None
        if row.bare:
            return _GO_ON, None
        full = row.continuations >= MOST_CONTINUATIONS
        size, closing = self.sizes[row.blank], self._marks[row.blank + 1]
        if row.words < most_words(size):
            return (_BEGIN if full else _EITHER), (closing if size is None else None)
        return (_NOTHING if full else _GO_ON), closing

    def took(self, row: int, piece: int) -> bool:
        """Learn what was written; whether all blanks of the text are filled."""
        now = self._rows[row]
        closes = now.blank >= 0 and piece == self._marks[now.blank + 1]
        if now.blank < 0 or closes:
            now.blank += 1
            now.before += now.words
            now.words, now.continuations, now.bare = 0, 0, False
            if now.blank == len(self.sizes):
                return True
            now.pieces.append([])
            return False
        now.pieces[-1].append(piece)
        if piece in self._begins:
            now.words += 1
            now.continuations, now.bare = 0, piece == self._bare_piece
        else:
            now.continuations += 1
            now.bare = False
        return False

    def words(self, row: int) -> int:
        """How many words a text has so far, in all its blanks."""
        now = self._rows[row]
        return now.before + now.words

    def wanted(self, row: int) -> int:
        """How many words a text will have at least: a free blank has one or what was written."""
        now = self._rows[row]
        at = max(now.blank, 0)
        left = [1 if size is None else size for size in self.sizes[at:]]
        return now.before + sum(left[1:]) + max(now.words, *left[:1], 0)

    def pieces(self, row: int) -> tuple[tuple[int, ...], ...]:
        """What stands in the blanks of a text, as far as they were begun."""
        return tuple(tuple(pieces) for pieces in self._rows[row].pieces)
