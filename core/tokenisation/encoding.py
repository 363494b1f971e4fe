"""A text as a model reads it, with the way back to what the person typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from core.tokenisation.display import SPACE


class Word(NamedTuple):
    """One word in the person's own spelling: ``texts[segment][start:end]``."""

    segment: int
    start: int
    end: int


@dataclass(frozen=True)
class Encoding:
    """One or two texts as tokens. Everything but the last five is per token.

    Attributes:
        ids: rows of the vocabulary.
        tokens: pieces as they stand in the vocabulary.
        pieces: the same, readable.
        offsets: start and end in the text of the token's own segment, in characters of the
            original; (0, 0) for special tokens.
        special: whether the tokenizer added the token; False for everything a person typed.
        words: number of the word, counted from 0 across both texts; ``None`` for special tokens
            and for tokens that stand for no visible character.
        segments: 0 for the first text and the special tokens around it, 1 for the second.
        cut: how many tokens did not fit and were left out.
        texts: the one or two texts, character by character as typed; only lone surrogates, which
            are no characters, are replaced, and masks are written as in this vocabulary.
        spans: where each word stands, ``spans[word]``.
        plain_specials: special tokens of the vocabulary that a person typed, each once; they were
            read as the plain characters they are written with.
    """

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    pieces: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    special: tuple[bool, ...]
    words: tuple[int | None, ...]
    segments: tuple[int, ...]
    cut: int
    texts: tuple[str, ...]
    spans: tuple[Word, ...]
    plain_specials: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of_pieces(cls, pieces: Sequence[str]) -> Encoding:
        """Tokens of which only the pieces are known: each without a row, a word or an offset."""
        count, known = len(pieces), tuple(pieces)
        return cls(
            ids=(-1,) * count,
            tokens=known,
            pieces=known,
            offsets=((0, 0),) * count,
            special=(False,) * count,
            words=(None,) * count,
            segments=(0,) * count,
            cut=0,
            texts=(),
            spans=(),
        )

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every word as the person wrote it."""
        return tuple(self.texts[word.segment][word.start : word.end] for word in self.spans)

    def after(self, number: int, token: str) -> Encoding:
        """The same behind one more special token."""
        return replace(
            self,
            ids=(number, *self.ids),
            tokens=(token, *self.tokens),
            pieces=(token, *self.pieces),
            offsets=((0, 0), *self.offsets),
            special=(True, *self.special),
            words=(None, *self.words),
            segments=(0, *self.segments),
        )

    def before(self, number: int, token: str, times: int = 1) -> Encoding:
        """The same in front of so many more special tokens, such as padding."""
        return replace(
            self,
            ids=(*self.ids, *(number,) * times),
            tokens=(*self.tokens, *(token,) * times),
            pieces=(*self.pieces, *(token,) * times),
            offsets=(*self.offsets, *((0, 0),) * times),
            special=(*self.special, *(True,) * times),
            words=(*self.words, *(None,) * times),
            segments=(*self.segments, *(0,) * times),
        )

    def up_to(self, tokens: int) -> Encoding:
        """Its first tokens; what they leave out of the texts is not counted as cut."""
        return replace(
            self,
            ids=self.ids[:tokens],
            tokens=self.tokens[:tokens],
            pieces=self.pieces[:tokens],
            offsets=self.offsets[:tokens],
            special=self.special[:tokens],
            words=self.words[:tokens],
            segments=self.segments[:tokens],
        )

    def tokens_of(self, word: int) -> tuple[int, ...]:
        """Positions of the tokens that make up a word."""
        return tuple(index for index, number in enumerate(self.words) if number == word)

    def tokens_with_space(self, word: int) -> tuple[int, ...]:
        """Positions of a word's tokens, and of the space before it that is a piece of its own.

        Most pieces carry that space, as ``▁the`` does; before some the vocabulary has it alone.
        """
        own = self.tokens_of(word)
        if not own or not own[0] or self.pieces[own[0]].startswith(SPACE):
            return own
        before = own[0] - 1
        is_space = self.pieces[before] == SPACE and not self.special[before]
        return (before, *own) if is_space else own

    def last_word(self) -> int:
        """The number of the last word that begins with a letter or a digit, else of the last."""
        spellings = self.spellings
        real = [number for number, word in enumerate(spellings) if word[0].isalnum()]
        return real[-1] if real else len(spellings) - 1
