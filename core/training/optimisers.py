"""Optimisers with their parameter groups."""

from __future__ import annotations

from enum import Enum
from typing import Any

import torch
from torch import nn


class Method(Enum):
    """How gradients become steps; the loop sets every rate."""

    ADAM = "adam"
    ADAMW = "adamw"
    RADAM = "radam"
    ADAFACTOR = "adafactor"
    RELATIVE_ADAMW = "relative-adamw"


def optimiser_of(
    method: Method, model: nn.Module, *, weight_decay: float = 0.01
) -> torch.optim.Optimizer:
    """An optimiser that decays matrices but neither biases nor norms.

    ``ADAM``: Kingma and Ba 2015, with the betas and epsilon of Vaswani et al. 2017, section 5.3;
    decay is part of its gradients. ``ADAMW``: see :func:`adamw`. ``RADAM``: Liu et al. 2020, "On
    the Variance of the Adaptive Learning Rate and Beyond", with decay beside the gradients.
    ``ADAFACTOR``: Shazeer and Stern 2018; its rate is the paper's relative step, at most
    ``1 / sqrt(step)`` and multiplied by the root mean square of the weights.
    ``RELATIVE_ADAMW``: see :class:`RelativeAdamW`.
    """
    if method is Method.RELATIVE_ADAMW:
        return RelativeAdamW(model, weight_decay=weight_decay)
    if method is Method.ADAMW:
        return adamw(model, weight_decay=weight_decay)
    groups = _groups(model, weight_decay)
    if method is Method.ADAM:
        return torch.optim.Adam(groups, lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=_on_gpu(model))
    if method is Method.RADAM:
        return torch.optim.RAdam(groups, lr=0.0, decoupled_weight_decay=True)
    return torch.optim.Adafactor(groups, lr=0.0)


def adamw(model: nn.Module, *, weight_decay: float = 0.01) -> torch.optim.AdamW:
    """AdamW that decays matrices but neither biases nor norms; the loop sets its rate.

    Loshchilov and Hutter 2019, "Decoupled Weight Decay Regularization". The second beta, 0.98, is
    that of Liu et al. 2019, "RoBERTa", section 3.1: large batches are steadier with it.
    """
    return torch.optim.AdamW(
        _groups(model, weight_decay), lr=0.0, betas=(0.9, 0.98), eps=1e-6, fused=_on_gpu(model)
    )


class RelativeAdamW(torch.optim.AdamW):
    """AdamW whose rate is multiplied by the root mean square of each weight tensor, 0.001 at least.

    That part of Adafactor (Shazeer and Stern 2018, section 8) lets tables with entries around 1 and
    matrices with entries around 0.05 learn side by side, as T5's do. Unlike torch's Adafactor it
    never makes the CPU wait for the GPU.
    """

    _LEAST = 1e-3

    def __init__(self, model: nn.Module, *, weight_decay: float = 0.01) -> None:
        groups = _groups(model, weight_decay)
        super().__init__(groups, lr=0.0, betas=(0.9, 0.98), eps=1e-6, fused=_on_gpu(model))

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """AdamW's step, of which every tensor goes so much of the way as it is large."""
        weights = [
            one for group in self.param_groups for one in group["params"] if one.grad is not None
        ]
        before = [one.clone() for one in weights]
        sizes = torch.stack([one.square().mean() for one in weights]).sqrt().clamp(min=self._LEAST)
        loss = super().step(closure)
        for one, start, size in zip(weights, before, sizes, strict=True):
            torch.lerp(start, one, size, out=one)
        return loss


def set_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """Give every parameter group the same learning rate."""
    for group in optimiser.param_groups:
        group["lr"] = rate


def _groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    parameters = [one for one in model.parameters() if one.requires_grad]
    return [
        {"params": [p for p in parameters if p.ndim > 1], "weight_decay": weight_decay},
        {"params": [p for p in parameters if p.ndim <= 1], "weight_decay": 0.0},
    ]


def _on_gpu(model: nn.Module) -> bool:
    return any(one.is_cuda for one in model.parameters())
