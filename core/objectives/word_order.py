"""StructBERT's word structure: three words in a row are shuffled, the model puts them right.

Wang et al. 2019, "StructBERT: Incorporating Language Structures into Pre-training for Deep Language
Understanding", section 2.2: 5 % of the trigrams of unmasked tokens, the loss on the shuffled tokens
as for hidden words and with the same weight. What we take this to mean: a trigram is any three
neighbouring unmasked tokens, those that are shuffled do not overlap, and each gets one of the five
orders that are not its own.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor
from torch.nn import functional

from core.objectives.bert_pretraining import PairModel, pair_counts, pair_terms
from core.objectives.hidden_words import HiddenWords, PretrainingBatch
from core.objectives.inputs import Inputs
from core.objectives.losses import LossSum, at_positions, token_loss
from core.objectives.masking import Masked

_OTHER_ORDERS = ((0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))


@dataclass(frozen=True)
class Shuffled:
    """Sequences with some trigrams in another order.

    Attributes:
        ids: what the model reads, ``[batch, token]``.
        positions: of shuffled tokens, ``[batch, position]``.
        labels: the original ids at these, ``[batch, position]``.
        weights: 1 at real positions, 0 where a sequence has fewer, ``[batch, position]``.
    """

    ids: Tensor
    positions: Tensor
    labels: Tensor
    weights: Tensor


def shuffle_trigrams(
    ids: Tensor, free: Tensor, *, share: float = 0.05, generator: torch.Generator
) -> Shuffled:
    """Shuffle ``round(share * trigrams)`` trigrams of every sequence, at least one if it has any.

    Args:
        ids: ``[batch, token]``, three tokens or more.
        free: boolean of the same shape, True where a token may be moved.
        share: of all trigrams.
        generator: of all random draws, on the device of ``ids``.
    """
    batch, length = ids.shape
    limit = max(1, round(share * (length - 2)))
    trigram = functional.pad(free[:, :-2] & free[:, 1:-1] & free[:, 2:], (0, 2))
    uniforms = torch.rand(batch, length, device=ids.device, generator=generator)
    uniforms = uniforms.masked_fill(~trigram, 2.0)
    # Two starts, each with the smallest uniform within two steps, lie three steps apart or more.
    smallest = -functional.max_pool1d(-uniforms[:, None], 5, stride=1, padding=2)[:, 0]
    uniforms = uniforms.masked_fill(uniforms > smallest, 2.0)
    found, starts = uniforms.topk(limit, largest=False)
    wanted = (share * trigram.sum(1)).round().clamp(min=1)
    rank = torch.arange(limit, device=ids.device)
    real = (rank < wanted[:, None]) & (found < 1.0)  # [batch, trigram]

    orders = torch.tensor(_OTHER_ORDERS, device=ids.device)
    kinds = torch.randint(len(orders), (batch, limit), device=ids.device, generator=generator)
    begins = torch.zeros_like(free).scatter(1, starts, real)
    kind = torch.zeros_like(ids).scatter(1, starts, kinds)
    source = torch.arange(length, device=ids.device).expand(batch, -1)
    for offset in range(3):
        # Tokens that are the first, second or third of a chosen trigram.
        member = functional.pad(begins, (offset, 0))[:, :length]
        step = orders[functional.pad(kind, (offset, 0))[:, :length], offset] - offset
        source = source + torch.where(member, step, 0)
    positions = (starts[..., None] + torch.arange(3, device=ids.device)).clamp(max=length - 1)
    positions = positions.flatten(1)
    weights = real[..., None].expand(-1, -1, 3).flatten(1).float()
    return Shuffled(ids.gather(1, source), positions, ids.gather(1, positions), weights)


def shuffle_unmasked(
    masked: Masked, ordinary: Tensor, *, share: float, generator: torch.Generator
) -> Shuffled:
    """As :func:`shuffle_trigrams`, of the ordinary tokens that are not to be predicted already."""
    hidden = torch.zeros_like(ordinary).scatter(1, masked.positions, masked.weights > 0)
    return shuffle_trigrams(masked.ids, ordinary & ~hidden, share=share, generator=generator)


@dataclass(frozen=True)
class StructBatch(PretrainingBatch):
    """A batch whose unmasked words are partly shuffled."""

    shuffled: Shuffled


class StructPretraining(HiddenWords[PairModel, StructBatch]):
    """Hidden words, shuffled trigrams and three-way structure of sentences.

    Its sampler has the relation ``STRUCTURE``.
    """

    name = "struct"
    trigrams = 0.05

    def corrupted(self, inputs: Inputs) -> StructBatch:
        """Hide words, then shuffle some of the others."""
        plain = self.plain(inputs)
        masked = plain.masked
        shuffled = shuffle_unmasked(
            masked, inputs.ordinary, share=self.trigrams, generator=self.sampler.generator
        )
        parts = {one.name: getattr(plain, one.name) for one in fields(plain)}
        parts["masked"] = replace(masked, ids=shuffled.ids)
        return StructBatch(**parts, shuffled=shuffled)

    def counts(self, batch: StructBatch) -> dict[str, Tensor]:
        """Of ``masked``, ``shuffled`` and ``follows``."""
        return {
            "masked": batch.masked.weights.sum(),
            "shuffled": batch.shuffled.weights.sum(),
            **pair_counts(batch),
        }

    def terms(self, model: PairModel, batch: StructBatch) -> dict[str, LossSum]:
        """``masked``, ``shuffled`` and ``follows``.

        Raises:
            MissingHeadError: the model lacks a head.
        """
        hidden = model.encode(batch.masked.ids, batch.segments, batch.keep)

        def restored(part: Masked | Shuffled) -> LossSum:
            logits = model.score_words(at_positions(hidden, part.positions))
            return token_loss(logits, part.labels, part.weights)

        return {
            "masked": restored(batch.masked),
            "shuffled": restored(batch.shuffled),
            **pair_terms(model, hidden, batch),
        }
