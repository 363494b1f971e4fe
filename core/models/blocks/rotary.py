"""Rotary positions: queries and keys are turned, so that their product knows their distance."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from core.rotary_config import (
    DynamicScaling,
    LinearScaling,
    Llama3Scaling,
    RotaryConfig,
    YarnScaling,
)


class RotaryPositions(nn.Module):
    """The angle of every position in every pair of features; nothing is trained.

    Pair ``k`` of position ``p`` turns by ``p / theta^(2k / size)``; ``scaling`` makes that less.

    Source: Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", 3.2.2.
    """

    def __init__(self, config: RotaryConfig, size: int) -> None:
        super().__init__()
        self.config = config
        self.size = size

    def forward(self, hidden: Tensor, start: int = 0) -> Tensor:
        """Cosines and sines for ``hidden`` ``[batch, token, width]``, ``[2, token, pair]``.

        Args:
            hidden: whose tokens stand at ``start``, ``start + 1``, ...
            start: how many tokens came before.
        """
        end = start + hidden.shape[1]
        # In float32, as the models were trained: further digits would be other angles.
        positions = torch.arange(start, end, device=hidden.device).float()
        angles = positions[:, None] * frequencies(self.config, self.size, end, hidden.device)
        factor = 1.0
        if isinstance(self.config.scaling, YarnScaling):
            given = self.config.scaling.attention_factor
            factor = 0.1 * math.log(self.config.scaling.factor) + 1.0 if given is None else given
        return (torch.stack([angles.cos(), angles.sin()]) * factor).to(hidden.dtype)


def rotate(value: Tensor, rotation: Tensor) -> Tensor:
    """Turn pairs of features; a pair is one of the first half and its fellow of the second.

    Two pairs, at an angle of 90 degrees::

        features    a  b  c  d          pairs (a, c) and (b, d)
        turned     -c -d  a  b

    Args:
        value: ``[batch, head, token, size]``.
        rotation: cosines and sines, ``[2, token, pair]``; features beyond the pairs stay.

    Returns:
        ``[batch, head, token, size]``.
    """
    cosine, sine = rotation
    pairs = cosine.shape[-1]
    first, second = value[..., :pairs], value[..., pairs : 2 * pairs]  # [batch, head, token, pair]
    turned = [first * cosine - second * sine, second * cosine + first * sine]
    return torch.cat([*turned, value[..., 2 * pairs :]], dim=-1)


def frequencies(config: RotaryConfig, size: int, tokens: int, device: torch.device) -> Tensor:
    """Radians that each pair turns from one position to the next, ``[pair]``, float32.

    Args:
        config: with the scaling.
        size: features of a head that are turned.
        tokens: of the text so far, which dynamic scaling depends on.
        device: of the result.
    """
    theta, scaling = config.theta, config.scaling
    if isinstance(scaling, DynamicScaling) and tokens > config.positions:
        stretched = scaling.factor * tokens / config.positions - (scaling.factor - 1)
        theta *= stretched ** (size / (size - 2))
    exponents = torch.arange(0, size, 2, device=device).float() / size
    plain = 1.0 / theta**exponents  # [pair]
    match scaling:
        case LinearScaling(factor):
            return plain / factor
        case Llama3Scaling(factor, low, high, trained):
            waves = trained / (2 * math.pi / plain)  # how many fit into the trained positions
            kept = ((waves - low) / (high - low)).clamp(0, 1)
            return (1 - kept) * plain / factor + kept * plain
        case YarnScaling():
            kept = 1 - _ramp(scaling, theta, size).to(device)
            return (1 - kept) * plain / scaling.factor + kept * plain
    return plain


def _ramp(scaling: YarnScaling, theta: float, size: int) -> Tensor:
    """0 for pairs that turn fast, 1 for slow ones, ``[pair]``: Peng et al. 2023, section 3.2."""

    def pair_of(waves: float) -> float:
        return (
            size
            * math.log(scaling.trained_positions / (waves * 2 * math.pi))
            / (2 * math.log(theta))
        )

    start, end = pair_of(scaling.fast), pair_of(scaling.slow)
    if scaling.whole:
        start, end = math.floor(start), math.ceil(end)
    start, end = max(start, 0), min(end, size - 1)
    if start == end:
        end += 0.001
    return ((torch.arange(size // 2).float() - start) / (end - start)).clamp(0, 1)
