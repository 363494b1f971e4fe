"""How two segments of a text may belong together, and pairs whose shape does not give it away."""

from __future__ import annotations

from enum import Enum

import torch
from torch import Tensor

from core.objectives.inputs import Segments
from core.training.corpora import CorpusError, TokenCorpus

_TRIES = 4  # at a sentence from elsewhere that is short enough


class Relation(Enum):
    """What a model is asked about two segments; the classes are numbered in this order."""

    NEXT = "next"  # 0 it follows, 1 from elsewhere: Devlin et al. 2019, "BERT", 3.1
    ORDER = "order"  # 0 in order, 1 swapped: Lan et al. 2020, "ALBERT", 3.1
    # 0 in order, 1 swapped or from elsewhere: what ORDER may begin with, as those are easy.
    IN_PLACE = "in-place"
    STRUCTURE = "structure"  # 0 next, 1 previous, 2 from elsewhere: Wang et al. 2019, "StructBERT"

    @property
    def classes(self) -> int:
        """How many answers there are, all equally frequent."""
        return 3 if self is Relation.STRUCTURE else 2


class WindowPairs:
    """Draws a stretch of whole sentences and cuts it in two at a border drawn evenly.

    Both halves are whole sentences and their sizes are drawn alike, so that neither a sentence cut
    short nor a size tells whether the halves were swapped: only what they say can.

    Args:
        corpus: documents of several sentences.
        generator: of all random draws, on the device of the corpus.
    """

    def __init__(self, corpus: TokenCorpus, generator: torch.Generator) -> None:
        self.corpus = corpus
        self.generator = generator
        starts = corpus.sentences[:-1]
        self._document = torch.searchsorted(corpus.documents, starts, right=True) - 1
        self._starts: dict[int, Tensor] = {}

    def draw(
        self, batch: int, length: int, relation: Relation, *, most: int | None = None
    ) -> Segments:
        """Draw pairs that fit into ``length`` tokens with their three special tokens.

        Args:
            batch: how many.
            length: tokens of an input.
            relation: not ``NEXT``.
            most: sentences of both together, at most; ``None`` for as many as fit.

        Raises:
            CorpusError: no two sentences of one document are short enough.
        """
        borders = self.corpus.sentences
        room = length - 3
        choices = self._fitting(room)
        sentence = choices[self._draw(len(choices), batch)]
        begin, last = self._window(sentence, room, most)
        cut = begin + 1 + self._below(last - begin - 1)
        start, middle, end = borders[begin], borders[cut], borders[last]
        kind = self._draw(relation.classes, batch)
        if relation is Relation.IN_PLACE:  # half of what is out of place comes from elsewhere
            kind = kind * (1 + self._draw(2, batch))
        swapped = kind == 1
        first = torch.where(swapped, middle, start)
        first_size = torch.where(swapped, end - middle, middle - start)
        second = torch.where(swapped, start, middle)
        second_size = end - start - first_size
        if relation in (Relation.STRUCTURE, Relation.IN_PLACE):
            elsewhere, size = self._elsewhere(sentence, room - first_size, most)
            # Where nothing from elsewhere fits uncut, what was drawn stays: the next sentences.
            kind = torch.where((kind == 2) & (size == 0), 0, kind)
            second = torch.where(kind == 2, elsewhere, second)
            second_size = torch.where(kind == 2, size, second_size)
        return Segments(
            first, first_size, second, second_size, kind.clamp(max=relation.classes - 1)
        )

    def _window(self, sentence: Tensor, room: int, most: int | None) -> tuple[Tensor, Tensor]:
        # Grown around two sentences, forwards or backwards: what a window stops at is longer than
        # what it takes, so always growing one way would tell the halves apart by their sizes.
        borders, documents = self.corpus.sentences, self.corpus.documents
        home = self._document[sentence]
        last = self._last_border(torch.minimum(borders[sentence] + room, documents[home + 1]))
        limit = torch.maximum(borders[sentence + 2] - room, documents[home])
        begin = torch.searchsorted(borders, limit)
        if most is not None:
            last = torch.minimum(last, sentence + most)
            begin = torch.maximum(begin, sentence + 2 - most)
        forwards = self._draw(2, len(sentence)) == 0
        return torch.where(forwards, sentence, begin), torch.where(forwards, last, sentence + 2)

    def _fitting(self, room: int) -> Tensor:
        # Sentences that fit together with their successor. Kept: a look at a number on the GPU in
        # every step would make it wait.
        if room not in self._starts:
            borders = self.corpus.sentences
            together = (borders[2:] - borders[:-2]) <= room
            neighbours = self._document[1:] == self._document[:-1]
            found = (together & neighbours).nonzero()[:, 0]
            if len(found) == 0:
                raise CorpusError(f"no two sentences of one document fit into {room} tokens")
            if int(self._document[-1]) == 0:
                raise CorpusError("pairs need at least two documents")
            self._starts[room] = found
        return self._starts[room]

    def _elsewhere(self, home: Tensor, room: Tensor, most: int | None) -> tuple[Tensor, Tensor]:
        # Whole sentences of another document, of the first try that fits; else of size 0.
        borders, documents = self.corpus.sentences, self.corpus.documents
        # Every sentence abroad is equally likely: count on from the end of the own document.
        own_first = torch.searchsorted(borders, documents[self._document[home]])
        own_last = torch.searchsorted(borders, documents[self._document[home] + 1])
        total = len(borders) - 1
        position, size = torch.zeros_like(home), torch.zeros_like(home)
        for _ in range(_TRIES):
            foreign = (own_last + self._below(total - (own_last - own_first))) % total
            start = borders[foreign]
            document_end = documents[self._document[foreign] + 1]
            last = self._last_border(torch.minimum(start + room, document_end))
            if most is not None:
                last = torch.minimum(last, foreign + 1)
            found = size > 0
            position = torch.where(found, position, start)
            size = torch.where(found, size, borders[last] - start)
        return position, size

    def _last_border(self, limit: Tensor) -> Tensor:
        return torch.searchsorted(self.corpus.sentences, limit, right=True) - 1

    def _draw(self, limit: int, batch: int) -> Tensor:
        device = self.corpus.tokens.device
        return torch.randint(limit, (batch,), device=device, generator=self.generator)

    def _below(self, limits: Tensor) -> Tensor:
        # A number from 0 to each limit - 1; the product may round up to the limit.
        uniforms = torch.rand(len(limits), device=limits.device, generator=self.generator)
        return (uniforms * limits).long().minimum(limits - 1)
