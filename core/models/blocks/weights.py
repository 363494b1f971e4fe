"""Matrices and tables that know how they start.

A block that holds parameters of another kind has an ``initialise`` of its own; ``build`` in
``core.models.registry`` calls all of them.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from torch import nn

from core.config import ModelConfig


@runtime_checkable
class Initialises(Protocol):
    """A module that draws its own first numbers."""

    def initialise(self, config: ModelConfig) -> None:
        """Draw them; gradients are off. Parts that have an ``initialise`` draw theirs later."""
        ...


class Linear(nn.Linear):
    """A matrix that starts normal, and a bias that starts at zero.

    With ``ModelConfig.fan_in`` the deviation is divided by the root of what the matrix reads, so
    that what it gives is as large as that: Raffel et al. 2020 (T5), released code.

    Args:
        inputs: features that it reads.
        outputs: features that it gives.
        bias: whether it has one.
        gain: factor on the deviation with ``fan_in``.
    """

    def __init__(self, inputs: int, outputs: int, *, bias: bool = True, gain: float = 1.0) -> None:
        super().__init__(inputs, outputs, bias=bias)
        self.gain = gain

    def initialise(self, config: ModelConfig) -> None:
        """See the class."""
        deviation = config.initial_deviation
        if config.fan_in:
            deviation *= self.gain * self.in_features**-0.5
        self.weight.normal_(0.0, deviation)
        if self.bias is not None:
            self.bias.zero_()


class Table(nn.Embedding):
    """A row for each of so many numbers, which start normal.

    Args:
        rows: how many.
        width: features of each.
        gain: factor on the deviation with ``ModelConfig.fan_in``.
    """

    def __init__(self, rows: int, width: int, *, gain: float = 1.0) -> None:
        super().__init__(rows, width)
        self.gain = gain

    def initialise(self, config: ModelConfig) -> None:
        """See the class."""
        deviation = config.initial_deviation * (self.gain if config.fan_in else 1.0)
        self.weight.normal_(0.0, deviation)
