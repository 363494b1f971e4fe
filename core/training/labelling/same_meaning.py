"""Sentences that say the same: English sentences that share a translation.

As in Bannard and Callison-Burch 2005, "Paraphrasing with Bilingual Parallel Corpora", with whole
sentences and one translation in between.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

from core.training.corpora import CorpusError
from core.training.labelling.examples import DataSplit, Labelled, drawn, on_one_line
from core.training.parallel import english_key, read_pairs

_RARE = 3000  # sentences; a word of more tells nothing about a sentence
_TRIED = 40  # sentences that share a word, of each word
_NEAREST = 5  # of these, one is taken
_RANDOM_SHARE = 0.25  # of the sentences that say something else
_MOST_DRAWS = 10_000  # drawn for one sentence at most
_OTHERS = (3, 2)  # of a query: with words of its own, and random ones


def paraphrases(
    files: Sequence[Path], part: DataSplit, generator: random.Random, most: int
) -> Labelled:
    """Pairs with score 1 for the same and 0 for something else, as many of each.

    Three quarters of the latter share words with their sentence, so that counting words does not
    do.

    Raises:
        core.training.corpora.CorpusError: a file cannot be read, or no two sentences share a
            translation.
    """
    sentences = _Sentences(files, part)
    lines: list[tuple[str, ...]] = []
    for one, same in sentences.same(generator, -(-most // 2)):
        hard = generator.random() >= _RANDOM_SHARE
        (other,) = sentences.others(one, generator, hard=int(hard), easy=int(not hard))
        for second, score in ((same, "1"), (other, "0")):
            pair = [sentences.texts[one], sentences.texts[second]]
            generator.shuffle(pair)
            lines.append((*pair, score))
    return Labelled("similarity", (), drawn(lines, generator, most))


def rankings(
    files: Sequence[Path], part: DataSplit, generator: random.Random, most: int
) -> Labelled:
    """A sentence, one that says the same, and five that do not: three of them share words.

    Raises:
        core.training.corpora.CorpusError: as :func:`paraphrases`.
    """
    sentences = _Sentences(files, part)
    hard, easy = _OTHERS
    lines: list[tuple[str, ...]] = []
    for one, same in sentences.same(generator, most):
        others = sentences.others(one, generator, hard=hard, easy=easy)
        lines.append(tuple(sentences.texts[index] for index in (one, same, *others)))
    return Labelled("ranking", (), drawn(lines, generator, most))


class _Sentences:
    """English sentences of one part, and which say the same.

    Sentences that differ in capitals and punctuation are one. A group is what hangs together by
    shared translations, in any number of steps: parts are of whole groups, and what is said to
    mean something else is of another group.
    """

    def __init__(self, files: Sequence[Path], part: DataSplit) -> None:
        by_key: dict[str, str] = {}
        by_translation: dict[tuple[int, str], dict[str, None]] = {}
        for number, path in enumerate(files):
            for english, other in read_pairs(path):
                if key := english_key(english):
                    by_key.setdefault(key, on_one_line(english))
                    by_translation.setdefault((number, other), {})[key] = None
        group = _groups(by_key, (list(keys) for keys in by_translation.values()))
        keys = [key for key in by_key if part.has(group[key])]
        indices = {key: index for index, key in enumerate(keys)}
        self.texts = [by_key[key] for key in keys]
        self.group = [group[key] for key in keys]
        self.words = [frozenset(key.split()) for key in keys]
        shared = {
            pair: None
            for together in by_translation.values()
            for pair in combinations(sorted(indices[key] for key in together if key in indices), 2)
        }
        self._same = list(shared)
        self._with: dict[str, list[int]] = {}
        for index, words in enumerate(self.words):
            for word in sorted(words):
                self._with.setdefault(word, []).append(index)

    def same(self, generator: random.Random, most: int) -> list[tuple[int, int]]:
        """At most so many pairs that share a translation, either one first."""
        pairs = [(a, b) if generator.randrange(2) else (b, a) for a, b in self._same]
        return generator.sample(pairs, min(most, len(pairs)))

    def others(self, one: int, generator: random.Random, *, hard: int, easy: int) -> list[int]:
        """Sentences of other groups; hard ones share words with it, as far as there are such.

        Raises:
            CorpusError: there are too few groups.
        """
        near = self._near(one, generator)
        found = generator.sample(near, min(hard, len(near)))
        groups = {self.group[index] for index in (one, *found)}
        for _ in range(_MOST_DRAWS):
            if len(found) == hard + easy:
                return found
            index = generator.randrange(len(self.texts))
            if self.group[index] not in groups:
                found.append(index)
                groups.add(self.group[index])
        raise CorpusError("the files hold too few sentences that say different things")

    def _near(self, one: int, generator: random.Random) -> list[int]:
        # The likest sentences by their words, each of another group.
        likeness: dict[int, float] = {}
        for word in sorted(self.words[one]):
            indices = self._with[word]
            if len(indices) <= _RARE:
                for index in generator.sample(indices, min(_TRIED, len(indices))):
                    both = self.words[one] | self.words[index]
                    likeness[index] = len(self.words[one] & self.words[index]) / len(both)
        groups = {self.group[one]}
        found: list[int] = []
        for index in sorted(likeness, key=lambda index: (-likeness[index], index)):
            if self.group[index] not in groups and len(found) < _NEAREST:
                found.append(index)
                groups.add(self.group[index])
        return found


def _groups(keys: Iterable[str], linked: Iterable[Sequence[str]]) -> dict[str, str]:
    """A key's group, named by its smallest key: what is linked in any number of steps."""
    parent = {key: key for key in keys}

    def top(key: str) -> str:
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for first, *others in linked:
        for other in others:
            low, high = sorted((top(first), top(other)))
            parent[high] = low
    return {key: top(key) for key in parent}
