"""BERT's two objectives together: hidden words, and how two segments belong together.

Devlin et al. 2019, "BERT", section 3.1. With another relation of the segments this is ALBERT's
(Lan et al. 2020, section 3.1); without any, RoBERTa's (Liu et al. 2019, section 4.2).
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

from core.objectives.hidden_words import HiddenWords, PretrainingBatch
from core.objectives.inputs import Inputs
from core.objectives.losses import IGNORED, LossSum, at_positions, token_loss


class PairModel(Protocol):
    """What this objective asks of a model: :class:`Bert` and :class:`Albert` can do it."""

    def encode(self, ids: Tensor, segments: Tensor | None, keep: Tensor | None) -> Tensor:
        """Hidden states ``[batch, token, width]``."""
        ...

    def score_words(self, hidden: Tensor) -> Tensor:
        """``[..., width]`` to ``[..., vocabulary]``."""
        ...

    def judge_pair(self, hidden: Tensor) -> Tensor:
        """``[batch, token, width]`` to ``[batch, class]``."""
        ...


def pair_terms(model: PairModel, hidden: Tensor, batch: PretrainingBatch) -> dict[str, LossSum]:
    """``follows``, over the inputs that are pairs; nothing where nothing is asked about pairs."""
    if batch.segments is None:
        return {}
    labels = torch.where(batch.follows >= 0, batch.follows, IGNORED)
    return {"follows": token_loss(model.judge_pair(hidden), labels)}


def pair_counts(batch: PretrainingBatch) -> dict[str, Tensor]:
    """How many positions :func:`pair_terms` counts."""
    if batch.segments is None:
        return {}
    return {"follows": (batch.follows >= 0).sum().float()}


class BertPretraining(HiddenWords[PairModel, PretrainingBatch]):
    """Batches and losses of masked words and, if the sampler asks for it, of pairs."""

    name = "mlm"

    def corrupted(self, inputs: Inputs) -> PretrainingBatch:
        """Hide single words."""
        return self.plain(inputs)

    def counts(self, batch: PretrainingBatch) -> dict[str, Tensor]:
        """Of ``masked`` and ``follows``."""
        return {"masked": batch.masked.weights.sum(), **pair_counts(batch)}

    def terms(self, model: PairModel, batch: PretrainingBatch) -> dict[str, LossSum]:
        """``masked`` and ``follows``; the latter only if something is asked about pairs.

        Raises:
            MissingHeadError: the model lacks a head.
        """
        masked = batch.masked
        hidden = model.encode(masked.ids, batch.segments, batch.keep)
        logits = model.score_words(at_positions(hidden, masked.positions))
        return {
            "masked": token_loss(logits, masked.labels, masked.weights),
            **pair_terms(model, hidden, batch),
        }
