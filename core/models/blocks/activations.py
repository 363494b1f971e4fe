"""Activation functions as modules."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional

from core.config import Activation


class Activate(nn.Module):
    """An activation as a module, to be handed to a block."""

    def __init__(self, activation: Activation) -> None:
        super().__init__()
        self.activation = activation

    def forward(self, value: Tensor) -> Tensor:
        """The activation of every element."""
        if self.activation is Activation.RELU:
            return functional.relu(value)
        if self.activation is Activation.SILU:
            return functional.silu(value)
        exact = self.activation is Activation.GELU
        return functional.gelu(value, approximate="none" if exact else "tanh")
