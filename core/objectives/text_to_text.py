"""What objectives have in common that turn one text into another: shifted targets, one loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from core.objectives.losses import IGNORED, LossSum, token_loss
from core.objectives.objective import SummedObjective


@dataclass(frozen=True)
class TextToTextBatch:
    """Pairs of texts.

    Attributes:
        source: what the encoder reads, ``[batch, key]``.
        source_keep: boolean, False at padding; ``None`` if nothing is padded.
        inputs: what the decoder reads, ``[batch, token]``.
        labels: what it must say at each position; ``IGNORED`` after the end, ``[batch, token]``.
    """

    source: Tensor
    source_keep: Tensor | None
    inputs: Tensor
    labels: Tensor

    @property
    def tokens(self) -> int:
        """Tokens both sides read, padding included."""
        return self.source.numel() + self.inputs.numel()


def teacher_forced(
    targets: Tensor, sizes: Tensor, *, start_id: int, padding_id: int
) -> tuple[Tensor, Tensor]:
    """What a decoder reads to say the targets, each token after those before it.

    Of the targets ``a b end`` and one position of padding: it reads ``start a b end`` and must say
    ``a b end`` and nothing.

    Args:
        targets: ``[batch, token]``.
        sizes: tokens of each, its end included, ``[batch]``.
        start_id: what is read first.
        padding_id: what is read after the end.

    Returns:
        Inputs and labels of the same shape as the targets.
    """
    real = torch.arange(targets.shape[1], device=targets.device) < sizes[:, None]
    start = torch.full_like(targets[:, :1], start_id)
    shifted = torch.cat([start, torch.where(real, targets, padding_id)[:, :-1]], dim=1)
    return shifted, torch.where(real, targets, IGNORED)


class TextToTextModel(Protocol):
    """What is asked of a model: the Transformer, T5 and the recurrent pair can do it."""

    def encode(self, ids: Tensor, keep: Tensor | None = None) -> Tensor:
        """The source's states."""
        ...

    def decode(self, ids: Tensor, memory: Tensor, *, memory_keep: Tensor | None = None) -> Tensor:
        """The target's states."""
        ...

    def score_words(self, hidden: Tensor) -> Tensor:
        """``[..., width]`` to ``[..., vocabulary]``."""
        ...


class TextToText(SummedObjective[TextToTextModel, TextToTextBatch]):
    """Cross-entropy of every token of the target.

    Attributes:
        smoothing: share of each target that is spread evenly over all tokens.
    """

    smoothing: float = 0.0

    def counts(self, batch: TextToTextBatch) -> dict[str, Tensor]:
        """Of ``target``."""
        return {"target": (batch.labels != IGNORED).sum().float()}

    def terms(self, model: TextToTextModel, batch: TextToTextBatch) -> dict[str, LossSum]:
        """``target``.

        Raises:
            MissingHeadError: the model scores no words.
        """
        memory = model.encode(batch.source, batch.source_keep)
        hidden = model.decode(batch.inputs, memory, memory_keep=batch.source_keep)
        logits = model.score_words(hidden)
        return {"target": token_loss(logits, batch.labels, smoothing=self.smoothing)}
