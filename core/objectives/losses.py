"""Losses as sums and counts, so that processes and micro-batches can be added up exactly.

The mean of two means is not the mean of everything where the counts differ: add the sums, add the
counts, divide once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

IGNORED = -100  # a label that counts for nothing


class LossSum(NamedTuple):
    """A loss that is not divided yet.

    Attributes:
        total: nats over all positions that count, a scalar.
        counted: how many these are, a scalar of the same kind.
    """

    total: Tensor
    counted: Tensor

    def mean(self, count: Tensor | None = None) -> Tensor:
        """Nats a position: 0 without any.

        Args:
            count: of all processes, where this one holds a part of them.
        """
        return self.total / (self.counted if count is None else count).clamp(min=1)


def mean_losses(
    terms: Mapping[str, LossSum],
    weights: Mapping[str, float],
    counts: Mapping[str, Tensor] | None = None,
) -> dict[str, Tensor]:
    """The mean of every term by its name, and ``loss``: their sum, weighted.

    Args:
        terms: not divided yet.
        weights: factors on the means; 1 for a term that is not named.
        counts: of all processes, by name of the term; ``None`` for this one's.
    """
    means = {
        name: term.mean(None if counts is None else counts[name]) for name, term in terms.items()
    }
    loss = torch.stack([weights.get(name, 1.0) * mean for name, mean in means.items()]).sum()
    return {"loss": loss, **means}


def token_loss(
    logits: Tensor, labels: Tensor, weights: Tensor | None = None, *, smoothing: float = 0.0
) -> LossSum:
    """Cross-entropy of the right token.

    With smoothing the target is ``1 - smoothing`` on the right token plus ``smoothing / tokens`` on
    every token, the right one too: the form of Szegedy et al. 2016, "Rethinking the Inception
    Architecture", section 7, which Vaswani et al. 2017, "Attention Is All You Need", section 5.4,
    refer to.

    Args:
        logits: ``[..., vocabulary]``.
        labels: right tokens; ``IGNORED`` where none is asked for, ``[...]``.
        weights: what each position counts; ``None`` for 1, ``[...]``.
        smoothing: share of the target that is spread evenly.
    """
    wanted = labels != IGNORED
    weight = wanted.float() if weights is None else wanted * weights
    nats = functional.cross_entropy(
        logits.flatten(0, -2).float(),
        labels.flatten(),
        reduction="none",
        ignore_index=IGNORED,
        label_smoothing=smoothing,
    )
    return LossSum((nats * weight.flatten()).sum(), weight.sum())


def binary_loss(logits: Tensor, truths: Tensor, weights: Tensor) -> LossSum:
    """Cross-entropy of yes or no, from one score each; all three ``[...]``."""
    nats = functional.binary_cross_entropy_with_logits(
        logits.float(), truths.float(), reduction="none"
    )
    return LossSum((nats * weights).sum(), weights.sum().float())


def at_positions(hidden: Tensor, positions: Tensor) -> Tensor:
    """The states at some positions: ``[batch, token, width]`` to ``[batch, position, width]``.

    Only these go through a head whose matrix is as large as half the model.
    """
    return hidden.gather(1, positions[..., None].expand(-1, -1, hidden.shape[-1]))
