"""The position-wise part of a layer."""

from __future__ import annotations

from torch import Tensor, nn

from core.config import FeedForwardConfig
from core.hooks.point import HookPoint
from core.models.blocks.activations import Activate
from core.models.blocks.weights import Linear


class FeedForward(nn.Module):
    """Two projections around an activation, the same at every position.

    A gated one multiplies the activation by a third projection of the same input.

    Hook point: ``hidden`` ``[batch, token, hidden]``, what the last projection gets.
    Sources: Vaswani et al. 2017, "Attention Is All You Need", section 3.3; Shazeer 2020, "GLU
    Variants Improve Transformer".
    """

    def __init__(self, config: FeedForwardConfig, width: int) -> None:
        super().__init__()
        self.inner_projection = Linear(width, config.hidden, bias=config.bias)
        self.gate_projection = (
            Linear(width, config.hidden, bias=config.bias) if config.gated else None
        )
        self.activation = Activate(config.activation)
        self.dropout = nn.Dropout(config.dropout)
        self.output_projection = Linear(config.hidden, width, bias=config.bias)
        self.hidden = HookPoint()

    def forward(self, value: Tensor) -> Tensor:
        """``[batch, token, width]`` to the same."""
        hidden = self.activation(self.inner_projection(value))  # [batch, token, hidden]
        if self.gate_projection is not None:
            hidden = hidden * self.gate_projection(value)
        return self.output_projection(self.dropout(self.hidden(hidden)))
