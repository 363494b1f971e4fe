"""Two neighbouring sentences of a text: in their order, or swapped."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from core.training.corpora import read_documents, split_sentences
from core.training.labelling.examples import DataSplit, Labelled, drawn, on_one_line

ORDERS = ("right order", "swapped")
_WORDS = range(4, 33)  # of each sentence: both fit in 128 tokens


def order_of_sentences(
    files: Sequence[Path], part: DataSplit, generator: random.Random, most: int
) -> Labelled:
    """Neighbours of one paragraph, every sentence in one example at most; half are swapped.

    The parts are of whole documents. Memory holds no more than ``most`` examples.

    Raises:
        core.training.corpora.CorpusError: a file cannot be read, or there are no two sentences.
    """
    kept: list[tuple[str, ...]] = []
    seen = 0
    for path in files:
        for paragraphs in read_documents(path):
            if not part.has("\n".join(paragraphs)):
                continue
            for pair in (pair for one in paragraphs for pair in _neighbours(one)):
                # A sample of a stream: Vitter 1985, "Random Sampling with a Reservoir", R.
                seen += 1
                if len(kept) < most:
                    kept.append(pair)
                elif (index := generator.randrange(seen)) < most:
                    kept[index] = pair
    lines = []
    for first, second in drawn(kept, generator, most):
        swapped = generator.randrange(2)
        pair = (second, first) if swapped else (first, second)
        lines.append((*pair, str(swapped)))
    return Labelled("pair", ORDERS, lines)


def _neighbours(paragraph: str) -> list[tuple[str, ...]]:
    sentences = [on_one_line(one) for one in split_sentences(paragraph)]
    found: list[tuple[str, ...]] = []
    index = 0
    while index + 1 < len(sentences):
        pair = (sentences[index], sentences[index + 1])
        good = all(len(one.split()) in _WORDS for one in pair) and pair[0] != pair[1]
        if good:
            found.append(pair)
        index += 2 if good else 1
    return found
