"""Optimisers with their parameter groups."""

from __future__ import annotations

from enum import Enum
from typing import Any

import torch
from torch import Tensor, nn


class Method(Enum):
    """How gradients become steps; the loop sets every rate."""

    ADAM = "adam"
    ADAMW = "adamw"
    RADAM = "radam"
    ADAFACTOR = "adafactor"
    RELATIVE_ADAMW = "relative-adamw"
    MUON = "muon"


def optimiser_of(
    method: Method, model: nn.Module, *, weight_decay: float = 0.01
) -> torch.optim.Optimizer:
    """An optimiser that decays matrices but neither biases nor norms.

    ``ADAM``: Kingma and Ba 2015, with the betas and epsilon of Vaswani et al. 2017, section 5.3;
    decay is part of its gradients. ``ADAMW``: see :func:`adamw`. ``RADAM``: Liu et al. 2020, "On
    the Variance of the Adaptive Learning Rate and Beyond", with decay beside the gradients.
    ``ADAFACTOR``: Shazeer and Stern 2018; its rate is the paper's relative step, at most
    ``1 / sqrt(step)`` and multiplied by the root mean square of the weights.
    ``RELATIVE_ADAMW``: see :class:`RelativeAdamW`. ``MUON``: see :class:`Muon`.
    """
    if method is Method.MUON:
        return Muon(model, weight_decay=weight_decay)
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
        if not weights:
            return super().step(closure)
        before = [one.clone() for one in weights]
        sizes = torch.stack([one.square().mean() for one in weights]).sqrt().clamp(min=self._LEAST)
        loss = super().step(closure)
        for one, start, size in zip(weights, before, sizes, strict=True):
            torch.lerp(start, one, size, out=one)
        return loss


class Muon(RelativeAdamW):
    """Matrices of layers move by orthogonalised momentum, all other weights as in RelativeAdamW.

    Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks": every singular
    value of a matrix's momentum (0.95, Nesterov) is brought near 1, so that no few directions take
    up the whole step, and the result is multiplied by the rate and by ``sqrt(rows / columns)``
    where there are more rows. Its entries are then ``rate / sqrt(columns)`` large, the rate's share
    of a matrix that starts by its fan-in, so one rate fits matrices and tables. A matrix that
    starts smaller by its ``gain`` (T5's queries) moves less by as much. The steps do not grow with
    the weights: sizes that did would feed on themselves, as momentum keeps steps alike.

    Token tables, biases and norms are no maps from features to features: they are left to AdamW.
    """

    _MOMENTUM = 0.95

    def __init__(self, model: nn.Module, *, weight_decay: float = 0.01) -> None:
        super().__init__(model, weight_decay=weight_decay)
        layers = [one for one in model.modules() if isinstance(one, nn.Linear)]
        learnt = [one for one in layers if one.weight.requires_grad]
        self._gains = {one.weight: float(getattr(one, "gain", 1.0)) for one in learnt}

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """AdamW's step for the other weights, then that of the matrices, all of a shape at once."""
        slopes = {one: one.grad for one in self._gains if one.grad is not None}
        matrices, gradients = list(slopes), list(slopes.values())
        for one in matrices:
            one.grad = None  # AdamW passes over them
        loss = super().step(closure)
        if not matrices:
            return loss
        for one, gradient in zip(matrices, gradients, strict=True):
            one.grad = gradient
            if not self.state[one]:
                # A loaded AdamW looks for a step count in every state.
                self.state[one]["step"] = torch.zeros(())
                self.state[one]["momentum"] = torch.zeros_like(one)
        moments = [self.state[one]["momentum"] for one in matrices]
        torch._foreach_lerp_(moments, gradients, 1.0 - self._MOMENTUM)
        ahead = torch._foreach_lerp(gradients, moments, self._MOMENTUM)
        alike: dict[tuple[int, int, float], list[int]] = {}
        for number, one in enumerate(matrices):
            alike.setdefault((*one.shape, self._gains[one]), []).append(number)
        rate, decay = self.param_groups[0]["lr"], self.param_groups[0]["weight_decay"]
        for (rows, columns, gain), numbers in alike.items():
            chosen = [matrices[number] for number in numbers]
            moves = orthogonalised(torch.stack([ahead[number] for number in numbers]))
            length = rate * gain * max(1.0, rows / columns) ** 0.5
            torch._foreach_mul_(chosen, 1.0 - rate * decay)
            torch._foreach_sub_(chosen, list(moves), alpha=length)
        return loss


def orthogonalised(matrices: Tensor) -> Tensor:
    """The nearest matrices ``[matrix, row, column]`` whose singular values are all about 1.

    Five steps of a Newton-Schulz iteration with the coefficients of Jordan et al. 2024, which bring
    singular values from 0.005 to 1 of the largest possible into 0.68 to 1.13.
    """
    rows, columns = matrices.shape[1:]
    low = matrices.bfloat16() if matrices.is_cuda else matrices
    moved = low.mT if rows > columns else low
    moved = moved / (torch.linalg.matrix_norm(moved.float(), keepdim=True) + 1e-7).to(moved.dtype)
    for _ in range(5):
        square = moved @ moved.mT
        moved = 3.4445 * moved + (-4.7750 * square + 2.0315 * square @ square) @ moved
    return (moved.mT if rows > columns else moved).to(matrices.dtype)


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
