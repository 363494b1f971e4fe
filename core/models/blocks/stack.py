"""A sequence of layers, some of which may be the same module."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from core.hooks.point import HookPoint
from core.hooks.sites import at_layer
from core.models.blocks.cache import Cache
from core.models.blocks.masks import Mask


class LayerStack(nn.Module):
    """Runs layers in the order of a plan.

    Every module is registered once, so shared weights are counted once; hook records carry the
    layer's number in the forward pass, not the module's.

    Hook points: ``position_bias`` ``[1, head, query, key]``, where the stack has a relative bias;
    ``rotation`` ``[2, token, pair]``, the cosines and sines of rotary positions, where it has them.
    """

    def __init__(
        self,
        layers: Sequence[nn.Module],
        plan: Sequence[int],
        final_norm: nn.Module,
        relative_bias: nn.Module | None = None,
        rotary: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.plan = tuple(plan)
        self.final_norm = final_norm
        self.relative_bias = relative_bias
        self.rotary = rotary
        self.position_bias, self.rotation = HookPoint(), HookPoint()

    def forward(
        self,
        hidden: Tensor,
        *,
        mask: Mask | None = None,
        position_bias: Tensor | None = None,
        memory: Tensor | None = None,
        memory_mask: Mask | None = None,
        cache: Cache | None = None,
    ) -> Tensor:
        """Run all layers on ``[batch, token, width]``; arguments as in ``TransformerLayer``."""
        if self.relative_bias is not None:
            queries = hidden.shape[1]
            keys = queries if cache is None else queries + cache.length
            if cache is not None and queries == 1:
                position_bias = cache.last_bias(keys, self.relative_bias)
            else:
                position_bias = self.relative_bias(queries, keys)
            position_bias = self.position_bias(position_bias)
        rotation = None
        if self.rotary is not None:
            rotation = self.rotation(self.rotary(hidden, 0 if cache is None else cache.length))
        for number, index in enumerate(self.plan):
            with at_layer(number):
                hidden = self.layers[index](
                    hidden,
                    mask=mask,
                    position_bias=position_bias,
                    rotation=rotation,
                    memory=memory,
                    memory_mask=memory_mask,
                    cache=None if cache is None else cache.layers[number],
                )
        return self.final_norm(hidden)
