"""How a BPE vocabulary is learned, one merge at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Learned:
    """One step of learning a BPE vocabulary.

    Attributes:
        left: the most frequent pair's first piece.
        right: its second.
        count: how often the pair stood in the texts.
        runners_up: the pairs that come next, with their counts.
        words: every word with its count, as it is cut after the step.
    """

    left: str
    right: str
    count: int
    runners_up: tuple[tuple[str, str, int], ...]
    words: tuple[tuple[tuple[str, ...], int], ...]

    @property
    def piece(self) -> str:
        """What the pair becomes."""
        return self.left + self.right


def learn_merges(
    words: Mapping[str, int], steps: int, *, end_of_word: str = "", shown: int = 3
) -> list[Learned]:
    """Learn merges: count neighbours, join the most frequent pair everywhere, count again.

    The words ``low`` (5 times), ``lower`` (2) and ``newest`` (6) have the pairs::

        w e: 8 (lower, newest)   l o: 7   o w: 7   n e: 6   e w: 6   e s: 6   s t: 6   e r: 2

    so ``we`` is first. Of equally frequent pairs the one with the older pieces is taken: single
    characters in the order of their code points, then merged pieces as they came.
    :func:`core.tokenisation.training.train_tokenizer` learns the same merges.

    Args:
        words: how often each occurs; a word is what merges do not cross.
        steps: how many merges; fewer are returned when no pair is left.
        end_of_word: marks the last character of every word.
        shown: how many runners-up.

    Source: Sennrich, Haddow and Birch 2016, "Neural Machine Translation of Rare Words with Subword
    Units", algorithm 1.
    """
    cut = {(*word[:-1], word[-1] + end_of_word): count for word, count in words.items() if word}
    ages = {piece: age for age, piece in enumerate(sorted({p for pieces in cut for p in pieces}))}
    learned: list[Learned] = []
    while len(learned) < steps:
        counts: Counter[tuple[str, str]] = Counter()
        for pieces, count in cut.items():
            for pair in pairwise(pieces):
                counts[pair] += count
        if not counts:
            break
        ranked = sorted(counts, key=lambda pair: (-counts[pair], ages[pair[0]], ages[pair[1]]))
        left, right = ranked[0]
        ages.setdefault(left + right, len(ages))
        cut = {_joined(pieces, left, right): count for pieces, count in cut.items()}
        learned.append(
            Learned(
                left,
                right,
                counts[left, right],
                tuple((*pair, counts[pair]) for pair in ranked[1 : shown + 1]),
                tuple(cut.items()),
            )
        )
    return learned


def _joined(pieces: tuple[str, ...], left: str, right: str) -> tuple[str, ...]:
    """The pieces with every such pair joined, from the left: ``a a a`` becomes ``aa a``."""
    joined: list[str] = []
    skip = False
    for piece, following in zip(pieces, (*pieces[1:], None), strict=True):
        if skip:
            skip = False
        elif (piece, following) == (left, right):
            joined.append(left + right)
            skip = True
        else:
            joined.append(piece)
    return tuple(joined)
