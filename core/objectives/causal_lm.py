"""The next token, everywhere in packed documents.

Source: Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training", section
3.1. As in GPT-2's training, documents stand one after the other with an end token between them, and
an input is any stretch of that row: it may hold several documents, which see each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from core.objectives.losses import LossSum, token_loss
from core.objectives.objective import SummedObjective
from core.training.corpora import CorpusError, TokenCorpus


def pack_documents(corpus: TokenCorpus, end_id: int) -> Tensor:
    """All documents in a row, each followed by the end token: int32 ``[token + document]``."""
    tokens, documents = corpus.tokens, corpus.documents
    position = torch.arange(len(tokens), device=tokens.device)
    owner = torch.searchsorted(documents, position, right=True) - 1
    packed = tokens.new_full((len(tokens) + len(documents) - 1,), end_id)
    return packed.scatter(0, position + owner, tokens)


@dataclass(frozen=True)
class CausalBatch:
    """Stretches of text and the same one token on, both ``[batch, token]``."""

    inputs: Tensor
    labels: Tensor

    @property
    def tokens(self) -> int:
        """Tokens the model reads."""
        return self.inputs.numel()


class CausalModel(Protocol):
    """What is asked of a model: :class:`core.models.decoder.DecoderBody` can do it."""

    def decode(self, ids: Tensor) -> Tensor:
        """Hidden states ``[batch, token, width]``."""
        ...

    def score_words(self, hidden: Tensor) -> Tensor:
        """``[..., width]`` to ``[..., vocabulary]``."""
        ...


class CausalPretraining(SummedObjective[CausalModel, CausalBatch]):
    """Batches and loss of causal language modelling."""

    name = "causal"

    def __init__(
        self, packed: Tensor, generator: torch.Generator, *, tokens: int, length: int
    ) -> None:
        """Prepare.

        Args:
            packed: of :func:`pack_documents`.
            generator: of all random draws, on the same device.
            tokens: about how many tokens a batch holds.
            length: tokens of an input.

        Raises:
            CorpusError: there is less text than one input and its labels.
        """
        if len(packed) <= length:
            raise CorpusError(f"the corpus is shorter than one input of {length} tokens")
        self.packed = packed
        self.generator = generator
        self.rows = max(1, tokens // length)
        self.length = length

    def batch(self, step: int) -> CausalBatch:  # noqa: ARG002 - all steps are alike
        """Draw a batch; every stretch of the row is equally likely."""
        start = torch.randint(
            len(self.packed) - self.length,
            (self.rows, 1),
            device=self.packed.device,
            generator=self.generator,
        )
        positions = start + torch.arange(self.length + 1, device=start.device)
        window = self.packed[positions].long()
        return CausalBatch(window[:, :-1], window[:, 1:])

    def shapes(self) -> list[CausalBatch]:
        """All batches have one shape."""
        before = self.generator.get_state()
        batch = self.batch(0)
        self.generator.set_state(before)
        return [batch]

    def counts(self, batch: CausalBatch) -> dict[str, Tensor]:
        """Of ``next``."""
        return {"next": batch.labels.new_tensor(batch.labels.numel(), dtype=torch.float32)}

    def terms(self, model: CausalModel, batch: CausalBatch) -> dict[str, LossSum]:
        """``next``.

        Raises:
            MissingHeadError: the model scores no words.
        """
        return {"next": token_loss(model.score_words(model.decode(batch.inputs)), batch.labels)}
