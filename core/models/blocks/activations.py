"""Activation functions as modules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.config import Activation

_FUNCTIONS: Mapping[Activation, Callable[[Tensor], Tensor]] = {
    Activation.GELU: functional.gelu,
    Activation.GELU_TANH: partial(functional.gelu, approximate="tanh"),
    Activation.GELU_10: lambda value: functional.gelu(value).clamp(-10, 10),
    Activation.QUICK_GELU: lambda value: value * torch.sigmoid(1.702 * value),
    Activation.RELU: functional.relu,
    Activation.RELU_SQUARED: lambda value: functional.relu(value).square(),
    Activation.RELU_6: functional.relu6,
    Activation.LEAKY_RELU: functional.leaky_relu,
    Activation.HARD_SWISH: functional.hardswish,
    Activation.SILU: functional.silu,
    Activation.MISH: functional.mish,
    Activation.TANH: torch.tanh,
    Activation.SIGMOID: torch.sigmoid,
    Activation.LINEAR: lambda value: value,
}


class Activate(nn.Module):
    """An activation as a module, to be handed to a block."""

    def __init__(self, activation: Activation) -> None:
        super().__init__()
        self.activation = activation

    def forward(self, value: Tensor) -> Tensor:
        """The activation of every element."""
        return _FUNCTIONS[self.activation](value)
