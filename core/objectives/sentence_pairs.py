"""Cutting a corpus into inputs: running text, single sentences, and pairs of segments."""

from __future__ import annotations

import torch
from torch import Tensor

from core.errors import ConfigError
from core.objectives.inputs import Inputs, Segments, assemble
from core.objectives.pieces import Specials
from core.objectives.relations import Relation, WindowPairs
from core.training.corpora import CorpusError, TokenCorpus

SHORTEST = 16  # tokens; a shorter input has no room for two segments


class PairSampler:
    """Draws inputs from a corpus, all on its device.

    Three layouts: *text* fills the length with running text from a sentence's start; *pair* joins
    whole sentences with what follows them, or with text from elsewhere, and fills the length;
    *short* takes one or two single sentences and pads. The second segment of a pair is drawn from
    elsewhere with probability 1/2 (Devlin et al. 2019, "BERT", section 3.1, task 2).

    With another relation than ``NEXT``, *pair* gives whole sentences and pads.
    """

    def __init__(
        self,
        corpus: TokenCorpus,
        specials: Specials,
        generator: torch.Generator,
        *,
        longest: int = 512,
        relation: Relation | None = Relation.NEXT,
    ) -> None:
        """Prepare.

        Args:
            corpus: where inputs are cut from.
            specials: ids of the special tokens.
            generator: of all random draws, on the device of the corpus.
            longest: tokens of the longest input that will be asked for; none is shorter than
                ``SHORTEST``.
            relation: what is asked about pairs; ``None`` if none are wanted: *short* then gives
                single sentences only.

        Raises:
            ConfigError: ``longest`` is less than ``SHORTEST``.
            CorpusError: the corpus is too small to draw from.
        """
        if longest < SHORTEST:
            raise ConfigError(f"an input holds at least {SHORTEST} tokens, not {longest}")
        self.corpus = corpus
        self.specials = specials
        self.generator = generator
        self.relation = relation
        self._windows = WindowPairs(corpus, generator)
        starts = corpus.sentences[:-1]
        document = torch.searchsorted(corpus.documents, starts, right=True) - 1
        next_document = torch.cat([document[1:], document[-1:] + 1])
        room = len(corpus.tokens) - longest
        if room < 0:
            raise CorpusError(f"the corpus is shorter than one input of {longest} tokens")
        # Sentences with a whole input of text after them. Counted once: a look at a number on the
        # GPU in every step would make it wait.
        self._roomy = int(torch.searchsorted(corpus.sentences, room, right=True))
        # Of these, the ones with a successor in the same document: the first segments of pairs.
        self._followed = (document == next_document)[: self._roomy].nonzero()[:, 0]
        if len(self._followed) == 0 or len(corpus.documents) < 3:
            raise CorpusError("pairs need at least two documents of two sentences each")

    def text(self, batch: int, length: int) -> Inputs:
        """``[CLS] text [SEP]``, full to the last token."""
        start = self.corpus.sentences[self._draw(self._roomy, batch)]
        nothing = torch.full_like(start, -1)
        return self._assemble(
            length, Segments(start, nothing + length - 1, start, nothing, nothing)
        )

    def pair(self, batch: int, length: int) -> Inputs:
        """``[CLS] sentences [SEP] what follows, or not [SEP]``.

        Raises:
            ConfigError: no pairs are wanted.
        """
        if self.relation is None:
            raise ConfigError("an objective without a relation has no pairs")
        if self.relation is not Relation.NEXT:
            drawn = self._windows.draw(batch, length, self.relation)
            return self._assemble(length, drawn, padded=True)
        first, middle = self._first_segment(batch, length)
        second, follows = self._second_segment(middle)
        size = middle - first
        return self._assemble(length, Segments(first, size, second, length - 3 - size, follows))

    def short(self, batch: int, length: int) -> Inputs:
        """One sentence, or two, and padding."""
        if self.relation not in (None, Relation.NEXT):
            drawn = self._windows.draw(batch, length, self.relation, most=2)
            single = self._draw(2, batch) == 0
            return self._assemble(length, drawn.alone(single), padded=True)
        room = (length - 3) // 2
        sentence = self._followed[self._draw(len(self._followed), batch)]
        first, middle = self.corpus.sentences[sentence], self.corpus.sentences[sentence + 1]
        second, follows = self._second_segment(middle)
        after = torch.searchsorted(self.corpus.sentences, second, right=True)
        second_size = (self.corpus.sentences[after] - second).clamp(max=room)
        single = self._draw(2, batch) == 0
        if self.relation is None:
            single = torch.ones_like(single)
        size = torch.minimum(middle - first, torch.where(single, length - 2, room))
        # A cut first segment keeps its end, next to what follows it.
        first = torch.where(single, first, middle - size)
        drawn = Segments(first, size, second, second_size, follows)
        return self._assemble(length, drawn.alone(single), padded=True)

    def _draw(self, limit: int, batch: int) -> Tensor:
        device = self.corpus.tokens.device
        return torch.randint(limit, (batch,), device=device, generator=self.generator)

    def _first_segment(self, batch: int, length: int) -> tuple[Tensor, Tensor]:
        # Whole sentences up to a drawn size, short of the document's last sentence.
        borders, documents = self.corpus.sentences, self.corpus.documents
        sentence = self._followed[self._draw(len(self._followed), batch)]
        start = borders[sentence]
        room = length * 3 // 4
        aim = start + 8 + self._draw(room - 8, batch)
        document_end = documents[torch.searchsorted(documents, start, right=True)]
        end = torch.searchsorted(borders, torch.minimum(aim, document_end - 1), right=True) - 1
        middle = borders[torch.maximum(end, sentence + 1)]
        return torch.maximum(start, middle - room), middle

    def _second_segment(self, middle: Tensor) -> tuple[Tensor, Tensor]:
        # What follows, or a sentence of another document; and which of the two.
        borders, documents = self.corpus.sentences, self.corpus.documents
        elsewhere = borders[self._draw(self._roomy, len(middle))]
        home = torch.searchsorted(documents, middle, right=True)
        abroad = torch.searchsorted(documents, elsewhere, right=True) != home
        random = (self._draw(2, len(middle)) == 1) & abroad
        return torch.where(random, elsewhere, middle), random.long()

    def _assemble(self, length: int, chosen: Segments, *, padded: bool = False) -> Inputs:
        return assemble(self.corpus, self.specials, length, chosen, padded=padded)
