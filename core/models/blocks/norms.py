"""Norms that torch does not have in the form that is needed here."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class RootMeanSquareNorm(nn.Module):
    """value / sqrt(mean(value^2) + epsilon) * weight: no mean is taken off and no bias added.

    Source: Zhang and Sennrich 2019, "Root Mean Square Layer Normalization", section 4; as T5 uses
    it (Raffel et al. 2020, section 2.1).
    """

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, value: Tensor) -> Tensor:
        """``[..., width]`` to the same; the mean is taken in float32."""
        square = value.float().square().mean(dim=-1, keepdim=True)
        return self.weight * (value * torch.rsqrt(square + self.eps)).to(self.weight.dtype)
