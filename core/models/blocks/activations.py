"""Activation functions, each under its exact name: the GELUs differ by up to 5e-4."""

from __future__ import annotations

from enum import Enum

from torch import Tensor, nn
from torch.nn import functional


class Activation(Enum):
    """The members carry the strings that Hugging Face's configurations use for them."""

    GELU = "gelu"  # x * Phi(x), exact: BERT, RoBERTa, ELECTRA, XLNet, DistilBERT
    GELU_TANH = "gelu_new"  # tanh approximation: ALBERT, GPT-1, GPT-2, T5 1.1
    RELU = "relu"  # original Transformer, T5

    def apply(self, value: Tensor) -> Tensor:
        """Return the activation of every element."""
        if self is Activation.RELU:
            return functional.relu(value)
        return functional.gelu(value, approximate="none" if self is Activation.GELU else "tanh")


class Activate(nn.Module):
    """An activation as a module, to be handed to a block."""

    def __init__(self, activation: Activation) -> None:
        super().__init__()
        self.activation = activation

    def forward(self, value: Tensor) -> Tensor:
        """Return the activation of every element."""
        return self.activation.apply(value)
