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


def mask_tokens(
    ids: Tensor,
    ordinary: Tensor,
    *,
    rule: MaskingRule,
    mask_id: int,
    ordinary_ids: Tensor,
    generator: torch.Generator,
) -> Masked:
    """Choose positions anew ("dynamic masking") and corrupt them.

    Every sequence has ``round(share * its ordinary tokens)`` places, at least one.

    Args:
        ids: ``[batch, token]``.
        ordinary: boolean of the same shape, False at special tokens and padding.
        rule: the shares.
        mask_id: id of the mask token.
        ordinary_ids: the ids that may stand in as random tokens, ``[candidate]``.
        generator: source of all chance, on the device of ``ids``.
    """
    batch, length = ids.shape
    limit = rule.places(length)

    def chance(*shape: int) -> Tensor:
        return torch.rand(*shape, device=ids.device, generator=generator)

    order = chance(batch, length).masked_fill(~ordinary, 2.0)  # specials sort last
    places = order.topk(limit, largest=False).indices  # [batch, place]
    wanted = (rule.share * ordinary.sum(1)).round().clamp(min=1)  # [batch]
    rank = torch.arange(limit, device=ids.device)
    real = (rank < wanted[:, None]) & ordinary.gather(1, places)
    labels = ids.gather(1, places)

    draw = chance(batch, limit)
    chosen = torch.randint(
        len(ordinary_ids), (batch, limit), device=ids.device, generator=generator
    )
    seen = torch.where(draw < rule.masked, mask_id, labels)
    swapped = (draw >= rule.masked) & (draw < rule.masked + rule.replaced)
    seen = torch.where(swapped, ordinary_ids[chosen], seen)
    corrupted = ids.scatter(1, places, torch.where(real, seen, labels))
    return Masked(corrupted, places, labels, real.float())
