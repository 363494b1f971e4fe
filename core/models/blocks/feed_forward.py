"""The position-wise part of a layer."""

from __future__ import annotations

from torch import Tensor, nn

from core.config import FeedForwardConfig
from core.hooks.point import HookPoint
from core.models.blocks.activations import Activate


class FeedForward(nn.Module):
    """Two projections around an activation, the same at every position.

    Hook point: ``hidden`` ``[batch, token, hidden]``, after the activation.
    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.3.
    """

    def __init__(self, config: FeedForwardConfig, width: int) -> None:
        super().__init__()
        self.inner_projection = nn.Linear(width, config.hidden, bias=config.bias)
        self.activation = Activate(config.activation)
        self.output_projection = nn.Linear(config.hidden, width, bias=config.bias)
        self.hidden = HookPoint()

    def forward(self, value: Tensor) -> Tensor:
        """``[batch, token, width]`` to the same."""
        hidden = self.hidden(self.activation(self.inner_projection(value)))
        return self.output_projection(hidden)
