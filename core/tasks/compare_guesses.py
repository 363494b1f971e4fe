"""The likeliest words of two passes side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.tasks.read_side import Guess, SideReading
from core.tokenisation import readable
from core.tokenisation.display import CONTINUATION, SPACE


@dataclass(frozen=True)
class GuessedWord:
    """One word with its probability on either side.

    Attributes:
        word: as a person reads it; ``##`` before one that goes on without a space.
        left, right: its probability; where it is not among those listed, the least of these.
        left_listed, right_listed: whether the probability is its own; else it is at most this.
    """

    word: str
    left: float
    right: float
    left_listed: bool = True
    right_listed: bool = True

    @property
    def change(self) -> float | None:
        """From left to right; None where one of them is not known."""
        return self.right - self.left if self.left_listed and self.right_listed else None


def compare_guesses(
    left: SideReading,
    left_guess: Guess,
    right: SideReading,
    right_guess: Guess,
    *,
    same_vocabulary: bool,
    top: int = 5,
) -> tuple[GuessedWord, ...]:
    """List the likeliest words of either side; first the one that is likeliest on any.

    Args:
        left, right: both passes.
        left_guess, right_guess: one guess of each.
        same_vocabulary: whether a piece means the same to both. Else pieces are matched by how
            they are read, whatever their case, and what several pieces share is added up.
        top: of each side this many words are listed, so ``top`` to twice as many in all.
    """
    sides = [
        _by_word(reading, guess, exact=same_vocabulary)
        for reading, guess in ((left, left_guess), (right, right_guess))
    ]
    least = [
        min((one.probability for one in guess.predictions), default=0.0)
        for guess in (left_guess, right_guess)
    ]
    wanted = dict.fromkeys(word for side in sides for word in list(side)[:top])
    first, second = sides
    words = [
        GuessedWord(
            word,
            first.get(word, least[0]),
            second.get(word, least[1]),
            word in first,
            word in second,
        )
        for word in wanted
    ]
    return tuple(
        sorted(
            words,
            key=lambda one: max(one.left * one.left_listed, one.right * one.right_listed),
            reverse=True,
        )
    )


def _by_word(reading: SideReading, guess: Guess, *, exact: bool) -> dict[str, float]:
    """Probabilities by word, the likeliest first."""
    read = _reader(reading, exact=exact)
    found: dict[str, float] = {}
    for piece, probability in guess.predictions:
        word = read(piece)
        found[word] = found.get(word, 0.0) + probability
    return dict(sorted(found.items(), key=lambda one: one[1], reverse=True))


def _reader(reading: SideReading, *, exact: bool) -> Callable[[str], str]:
    def read(piece: str) -> str:
        text = readable(piece, byte_level=reading.byte_level)
        if exact:
            return text
        if reading.marks_spaces:
            joins = not text.startswith(SPACE)
            text = text.removeprefix(SPACE) or text
            # Punctuation stands close to a word in any vocabulary.
            text = CONTINUATION + text if joins and text[:1].isalnum() else text
        return text.casefold()

    return read
