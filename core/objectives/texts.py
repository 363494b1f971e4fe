"""Plain stretches of a corpus, without special tokens, for objectives that add their own."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from core.training.corpora import CorpusError, TokenCorpus


class Texts(NamedTuple):
    """Texts of several sizes.

    Attributes:
        ids: tokens, ``[batch, token]``; what comes after a text's end means nothing.
        sizes: tokens of each text, ``[batch]``.
    """

    ids: Tensor
    sizes: Tensor


class TextSampler:
    """Draws texts from a corpus, all on its device.

    Args:
        corpus: where texts are cut from.
        generator: of all random draws, on the device of the corpus.
        longest: tokens of the longest text that will be asked for.

    Raises:
        CorpusError: the corpus is shorter than one text.
    """

    def __init__(self, corpus: TokenCorpus, generator: torch.Generator, *, longest: int) -> None:
        room = len(corpus.tokens) - longest
        if room < 0:
            raise CorpusError(f"the corpus is shorter than one text of {longest} tokens")
        self.corpus = corpus
        self.generator = generator
        # Sentences with a whole text after them, counted once.
        self._roomy = int(torch.searchsorted(corpus.sentences, room, right=True))

    def running(self, batch: int, length: int) -> Texts:
        """Running text from a sentence's start, full to the last token."""
        start = self.corpus.sentences[self._draw(batch)]
        return Texts(self._cut(start, length), torch.full_like(start, length))

    def sentences(self, batch: int, length: int) -> Texts:
        """Single sentences; of one that is too long, its beginning."""
        sentence = self._draw(batch)
        borders = self.corpus.sentences
        start = borders[sentence]
        return Texts(self._cut(start, length), (borders[sentence + 1] - start).clamp(max=length))

    def _draw(self, batch: int) -> Tensor:
        device = self.corpus.tokens.device
        chosen = torch.randint(self._roomy, (batch,), device=device, generator=self.generator)
        return chosen.clamp(max=len(self.corpus.sentences) - 2)

    def _cut(self, start: Tensor, length: int) -> Tensor:
        positions = start[:, None] + torch.arange(length, device=start.device)
        return self.corpus.tokens[positions.clamp(max=len(self.corpus.tokens) - 1)].long()
