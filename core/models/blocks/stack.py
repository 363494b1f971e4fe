"""A sequence of layers, some of which may be the same module."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from core.hooks.sites import at_layer
from core.models.blocks.masks import Mask


class LayerStack(nn.Module):
    """Runs layers in the order of a plan.

    Every module is registered once, so shared weights are counted once; hook records carry the
    layer's number in the forward pass, not the module's.
    """

    def __init__(
        self, layers: Sequence[nn.Module], plan: Sequence[int], final_norm: nn.Module
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.plan = tuple(plan)
        self.final_norm = final_norm

    def forward(
        self,
        hidden: Tensor,
        *,
        mask: Mask | None = None,
        position_bias: Tensor | None = None,
        memory: Tensor | None = None,
        memory_mask: Mask | None = None,
    ) -> Tensor:
        """Run all layers on ``[batch, token, width]``; arguments as in ``TransformerLayer``."""
        for number, index in enumerate(self.plan):
            with at_layer(number):
                hidden = self.layers[index](
                    hidden,
                    mask=mask,
                    position_bias=position_bias,
                    memory=memory,
                    memory_mask=memory_mask,
                )
        return self.final_norm(hidden)
