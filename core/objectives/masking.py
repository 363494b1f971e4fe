"""Hiding words: which positions a model must predict, and what it sees there instead."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.errors import ConfigError


@dataclass(frozen=True)
class MaskingRule:
    """The 80/10/10 rule of Devlin et al. 2019, "BERT", section 3.1 and appendix A.1.

    Attributes:
        share: of the ordinary tokens of a sequence, the share to predict.
        masked: of these, the share replaced by the mask token.
        replaced: of these, the share replaced by a random ordinary token; the rest stays.
    """

    share: float = 0.15
    masked: float = 0.8
    replaced: float = 0.1

    def __post_init__(self) -> None:
        if not 0.0 < self.share <= 1.0:
            raise ConfigError(f"the share of tokens to predict is in (0, 1], not {self.share}")
        if min(self.masked, self.replaced) < 0.0 or self.masked + self.replaced > 1.0:
            raise ConfigError(
                f"{self.masked} masked and {self.replaced} replaced are not two shares of 1"
            )

    def places(self, tokens: int) -> int:
        """How many positions of a full sequence are predicted: at least one."""
        return max(1, round(self.share * tokens))

    def masks(self, fates: Tensor) -> Tensor:
        """Where a number drawn from [0, 1) means: put the mask token there."""
        return fates < self.masked

    def replaces(self, fates: Tensor) -> Tensor:
        """Where a number drawn from [0, 1) means: put a random token there."""
        return (fates >= self.masked) & (fates < self.masked + self.replaced)


@dataclass(frozen=True)
class Masked:
    """Corrupted sequences and what was there before.

    Attributes:
        ids: what the model reads, ``[batch, token]``.
        places: positions to predict, ``[batch, place]``.
        labels: the original ids at these, ``[batch, place]``.
        weights: 1 at real places, 0 where a short sequence has fewer, ``[batch, place]``.
    """

    ids: Tensor
    places: Tensor
    labels: Tensor
    weights: Tensor


@dataclass(frozen=True)
class MaskingDraw:
    """All chance of one masking, before it meets the sequences.

    Attributes:
        lots: in [0, 1), a token's lot; the smallest of a sequence are chosen. 2 at tokens that
            cannot be, ``[batch, token]``.
        places: positions of the smallest lots, the smallest first, ``[batch, place]``.
        real: False where a short sequence has fewer places, ``[batch, place]``.
        fates: in [0, 1), what decides between mask, random token and the original,
            ``[batch, place]``.
        strangers: the random token that stands in if that is the fate, ``[batch, place]``.
    """

    lots: Tensor
    places: Tensor
    real: Tensor
    fates: Tensor
    strangers: Tensor

    def apply(self, ids: Tensor, *, rule: MaskingRule, mask_id: int) -> Masked:
        """Corrupt the sequences ``[batch, token]`` that this was drawn for."""
        return corrupt(
            ids,
            self.places,
            self.real,
            fates=self.fates,
            strangers=self.strangers,
            rule=rule,
            mask_id=mask_id,
        )


def corrupt(
    ids: Tensor,
    places: Tensor,
    real: Tensor,
    *,
    fates: Tensor,
    strangers: Tensor,
    rule: MaskingRule,
    mask_id: int,
) -> Masked:
    """Put the mask, a stranger or nothing new at every real place, as its fate says.

    Args:
        ids: ``[batch, token]``.
        places: positions, no two of a sequence the same, ``[batch, place]``.
        real: False at places that stay as they are, ``[batch, place]``.
        fates: in [0, 1), ``[batch, place]``.
        strangers: tokens that may be put there, ``[batch, place]``.
        rule: what a fate means.
        mask_id: id of the mask token.
    """
    labels = ids.gather(1, places)
    seen = torch.where(rule.masks(fates), mask_id, labels)
    seen = torch.where(rule.replaces(fates), strangers, seen)
    corrupted = ids.scatter(1, places, torch.where(real, seen, labels))
    return Masked(corrupted, places, labels, real.float())


def draw_masking(
    ordinary: Tensor, *, rule: MaskingRule, ordinary_ids: Tensor, generator: torch.Generator
) -> MaskingDraw:
    """Choose positions anew ("dynamic masking") and draw what becomes of each.

    Every sequence has ``round(share * its ordinary tokens)`` places, at least one.

    Args:
        ordinary: boolean ``[batch, token]``, False at special tokens and padding.
        rule: the shares.
        ordinary_ids: the ids that may stand in as random tokens, ``[candidate]``.
        generator: source of all chance, on the device of ``ordinary``.
    """
    batch, length = ordinary.shape
    limit = rule.places(length)

    def chance(*shape: int) -> Tensor:
        return torch.rand(*shape, device=ordinary.device, generator=generator)

    lots = chance(batch, length).masked_fill(~ordinary, 2.0)  # specials sort last
    places = lots.topk(limit, largest=False).indices  # [batch, place]
    wanted = (rule.share * ordinary.sum(1)).round().clamp(min=1)  # [batch]
    rank = torch.arange(limit, device=ordinary.device)
    real = (rank < wanted[:, None]) & ordinary.gather(1, places)
    fates = chance(batch, limit)
    chosen = torch.randint(
        len(ordinary_ids), (batch, limit), device=ordinary.device, generator=generator
    )
    return MaskingDraw(lots, places, real, fates, ordinary_ids[chosen])


def mask_tokens(
    ids: Tensor,
    ordinary: Tensor,
    *,
    rule: MaskingRule,
    mask_id: int,
    ordinary_ids: Tensor,
    generator: torch.Generator,
) -> Masked:
    """Draw a masking and corrupt the sequences with it.

    Args:
        ids: ``[batch, token]``.
        ordinary: boolean of the same shape, False at special tokens and padding.
        rule: the shares.
        mask_id: id of the mask token.
        ordinary_ids: the ids that may stand in as random tokens, ``[candidate]``.
        generator: source of all chance, on the device of ``ids``.
    """
    drawn = draw_masking(ordinary, rule=rule, ordinary_ids=ordinary_ids, generator=generator)
    return drawn.apply(ids, rule=rule, mask_id=mask_id)
