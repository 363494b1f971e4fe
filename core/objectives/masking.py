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

    def count(self, tokens: int) -> int:
        """How many positions of a full sequence are predicted: at least one."""
        return max(1, round(self.share * tokens))

    def masks(self, draws: Tensor) -> Tensor:
        """Where a number drawn from [0, 1) means: put the mask token there."""
        return draws < self.masked

    def replaces(self, draws: Tensor) -> Tensor:
        """Where a number drawn from [0, 1) means: put a random token there."""
        return (draws >= self.masked) & (draws < self.masked + self.replaced)


@dataclass(frozen=True)
class Masked:
    """Corrupted sequences and what was there before.

    Attributes:
        ids: what the model reads, ``[batch, token]``.
        positions: to predict, ``[batch, position]``.
        labels: the original ids at these, ``[batch, position]``.
        weights: 1 at real positions, 0 where a short sequence has fewer, ``[batch, position]``.
    """

    ids: Tensor
    positions: Tensor
    labels: Tensor
    weights: Tensor


@dataclass(frozen=True)
class MaskingDraw:
    """All random draws of one masking, before it meets the sequences.

    Attributes:
        uniforms: one a token, in [0, 1); the smallest of a sequence are chosen. 2 at tokens
            that cannot be, ``[batch, token]``.
        positions: of the smallest uniforms, the smallest first, ``[batch, position]``.
        real: False where a short sequence has fewer positions, ``[batch, position]``.
        corruption_draws: in [0, 1), what decides between masked, random and kept,
            ``[batch, position]``.
        random_ids: what stands in where the corruption is random, ``[batch, position]``.
    """

    uniforms: Tensor
    positions: Tensor
    real: Tensor
    corruption_draws: Tensor
    random_ids: Tensor

    def apply(self, ids: Tensor, *, rule: MaskingRule, mask_id: int) -> Masked:
        """Corrupt the sequences ``[batch, token]`` that this was drawn for."""
        return corrupt(
            ids,
            self.positions,
            self.real,
            corruption_draws=self.corruption_draws,
            random_ids=self.random_ids,
            rule=rule,
            mask_id=mask_id,
        )


def corrupt(
    ids: Tensor,
    positions: Tensor,
    real: Tensor,
    *,
    corruption_draws: Tensor,
    random_ids: Tensor,
    rule: MaskingRule,
    mask_id: int,
) -> Masked:
    """Corrupt every real position as its draw says: masked, random or kept.

    Args:
        ids: ``[batch, token]``.
        positions: no two of a sequence the same, ``[batch, position]``.
        real: False at positions that stay as they are, ``[batch, position]``.
        corruption_draws: in [0, 1), ``[batch, position]``.
        random_ids: tokens that may be put there, ``[batch, position]``.
        rule: what a draw means.
        mask_id: id of the mask token.
    """
    labels = ids.gather(1, positions)
    seen = torch.where(rule.masks(corruption_draws), mask_id, labels)
    seen = torch.where(rule.replaces(corruption_draws), random_ids, seen)
    corrupted = ids.scatter(1, positions, torch.where(real, seen, labels))
    return Masked(corrupted, positions, labels, real.float())


def draw_masking(
    ordinary: Tensor, *, rule: MaskingRule, ordinary_ids: Tensor, generator: torch.Generator
) -> MaskingDraw:
    """Choose positions anew ("dynamic masking") and draw what becomes of each.

    Every sequence has ``round(share * its ordinary tokens)`` positions, at least one.

    Args:
        ordinary: boolean ``[batch, token]``, False at special tokens and padding.
        rule: the shares.
        ordinary_ids: the ids that may stand in as random tokens, ``[candidate]``.
        generator: of all random draws, on the device of ``ordinary``.
    """
    batch, length = ordinary.shape
    limit = rule.count(length)

    def uniform(*shape: int) -> Tensor:
        return torch.rand(*shape, device=ordinary.device, generator=generator)

    uniforms = uniform(batch, length).masked_fill(~ordinary, 2.0)  # specials sort last
    positions = uniforms.topk(limit, largest=False).indices  # [batch, position]
    wanted = (rule.share * ordinary.sum(1)).round().clamp(min=1)  # [batch]
    rank = torch.arange(limit, device=ordinary.device)
    real = (rank < wanted[:, None]) & ordinary.gather(1, positions)
    corruption_draws = uniform(batch, limit)
    chosen = torch.randint(
        len(ordinary_ids), (batch, limit), device=ordinary.device, generator=generator
    )
    return MaskingDraw(uniforms, positions, real, corruption_draws, ordinary_ids[chosen])


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
        generator: of all random draws, on the device of ``ids``.
    """
    drawn = draw_masking(ordinary, rule=rule, ordinary_ids=ordinary_ids, generator=generator)
    return drawn.apply(ids, rule=rule, mask_id=mask_id)
