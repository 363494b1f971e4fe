"""What the lab's Transformer learns: short texts and what a rule makes of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

from core.objectives.translation import ParallelTexts

PADDING, START, END = 0, 1, 2
SPECIALS = ("·", "<s>", "</s>")
WIDTH = 12  # tokens of the longest text of either side, its end included
TRAINED_PAIRS = 4_000
HELD_OUT_PAIRS = 256
WORDS_DRAWN = 7
_SEED = 20_170_612  # of the pairs: all runs of a task read the same

_LETTERS = tuple("abcdefghijklmnop")
_LENGTHS = (4, 10)
_LARGEST_NUMBER = 999_999

_ENGLISH_SMALL = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_GERMAN_SMALL = (
    "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn"
    " sechzehn siebzehn achtzehn neunzehn"
).split()
_GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()

Pair = tuple[tuple[str, ...], tuple[str, ...]]


class Task(Enum):
    """The rules."""

    NUMBERS = "numbers"  # English number words to German ones, whose units come before the tens
    COPY = "copy"
    REVERSE = "reverse"
    SORT = "sort"


@dataclass(frozen=True)
class Pairs:
    """The pairs of a task.

    Attributes:
        words: the vocabulary of both sides; the first are ``SPECIALS``.
        trained: pairs that are learnt from.
        held_out: pairs that are only measured with; none is among the trained.
    """

    words: tuple[str, ...]
    trained: tuple[Pair, ...]
    held_out: tuple[Pair, ...]

    def as_tables(self, pairs: Sequence[Pair]) -> ParallelTexts:
        """Pairs as token ids in one table a side, ``[pair, WIDTH]``."""
        number = {word: at for at, word in enumerate(self.words)}
        ids = [tuple([number[word] for word in side] for side in pair) for pair in pairs]
        return ParallelTexts.from_ids(
            [(source, target) for source, target in ids],
            end_id=END,
            padding_id=PADDING,
            widths=(WIDTH,),
        )


@cache
def pairs_of(task: Task) -> Pairs:
    """The pairs of a task, the same wherever and whenever they are asked for."""
    generator = random.Random(f"{_SEED} {task.value}")  # noqa: S311 - not for secrets
    draw, words = _RULES[task]
    found: dict[Pair, None] = {}
    while len(found) < TRAINED_PAIRS + HELD_OUT_PAIRS:
        found[draw(generator)] = None
    pairs = list(found)
    # The first of the held-out pairs is drawn: one long enough to show something.
    held_out = sorted(pairs[:HELD_OUT_PAIRS], key=lambda pair: len(pair[0]) < WORDS_DRAWN)
    return Pairs((*SPECIALS, *words), tuple(pairs[HELD_OUT_PAIRS:]), tuple(held_out))


def english(number: int) -> tuple[str, ...]:
    """A number from 1 to 999,999 in words.

    >>> english(42_311)
    ('forty', 'two', 'thousand', 'three', 'hundred', 'eleven')
    """
    thousands, rest = divmod(number, 1000)
    return (*_english(thousands), *(["thousand"] if thousands else []), *_english(rest))


def german(number: int) -> tuple[str, ...]:
    """The same in German, cut where its parts meet.

    >>> german(42_311)
    ('zwei', 'und', 'vierzig', 'tausend', 'drei', 'hundert', 'elf')
    >>> german(1), german(21_001)
    (('eins',), ('ein', 'und', 'zwanzig', 'tausend', 'eins'))
    """
    thousands, rest = divmod(number, 1000)
    words = [*_german(thousands), *(["tausend"] if thousands else []), *_german(rest)]
    # Only a one that ends the number has its s.
    return tuple([*words[:-1], "eins"] if words[-1] == "ein" else words)


def _english(number: int) -> list[str]:
    hundreds, rest = divmod(number, 100)
    words = [_ENGLISH_SMALL[hundreds - 1], "hundred"] if hundreds else []
    if rest < 20:
        return words + _ENGLISH_SMALL[max(rest - 1, 0) : rest]
    tens, units = divmod(rest, 10)
    return [*words, _ENGLISH_TENS[tens - 2], *_ENGLISH_SMALL[max(units - 1, 0) : units]]


def _german(number: int) -> list[str]:
    hundreds, rest = divmod(number, 100)
    words = [_GERMAN_SMALL[hundreds - 1], "hundert"] if hundreds else []
    if rest < 20:
        return words + _GERMAN_SMALL[max(rest - 1, 0) : rest]
    tens, units = divmod(rest, 10)
    before = [_GERMAN_SMALL[units - 1], "und"] if units else []
    return [*words, *before, _GERMAN_TENS[tens - 2]]


def _number(generator: random.Random) -> Pair:
    # Every count of digits equally often: of all numbers nine in ten have six.
    number = min(int(10 ** generator.uniform(0, 6)), _LARGEST_NUMBER)
    return english(number), german(number)


def _letters(rule: Callable[[list[str]], list[str]]) -> Callable[[random.Random], Pair]:
    def draw(generator: random.Random) -> Pair:
        letters = generator.choices(_LETTERS, k=generator.randint(*_LENGTHS))
        return tuple(letters), tuple(rule(letters))

    return draw


_NUMBER_WORDS = (
    *(*_ENGLISH_SMALL, *_ENGLISH_TENS, "hundred", "thousand"),
    *(*_GERMAN_SMALL, "eins", *_GERMAN_TENS, "und", "hundert", "tausend"),
)
_RULES: dict[Task, tuple[Callable[[random.Random], Pair], tuple[str, ...]]] = {
    Task.NUMBERS: (_number, _NUMBER_WORDS),
    Task.COPY: (_letters(list), _LETTERS),
    Task.REVERSE: (_letters(lambda letters: letters[::-1]), _LETTERS),
    Task.SORT: (_letters(sorted), _LETTERS),
}
