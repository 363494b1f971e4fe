"""A transformer layer with its residual stream, and a sequence of them."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from core.config import NormPlacement
from core.hooks.point import HookPoint
from core.hooks.sites import at_layer
from core.models.blocks.cache import Cache, LayerCache
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


class TransformerLayer(nn.Module):
    """Self-attention, optionally cross-attention, and feed-forward, each added to the stream.

    Hook points, all ``[batch, token, width]``: ``input``; after each sublayer's residual sum
    ``after_attention``, ``after_cross_attention``, ``after_feed_forward``; after each norm the same
    names with ``_norm`` (a post-norm normalises the sum, a pre-norm the sublayer's input);
    ``output``. Where the layer has a relative bias of its own, ``position_bias`` ``[1, head, query,
    key]``.

    Sources: Vaswani et al. 2017, "Attention Is All You Need", 3.1 (post-norm); Xiong et al. 2020,
    "On Layer Normalization in the Transformer Architecture" (both placements compared); Black et
    al. 2022, "GPT-NeoX-20B", section 2.1 (``parallel``: the feed-forward part reads what enters the
    layer, not ``after_attention``).
    """

    def __init__(
        self,
        *,
        attention: nn.Module,
        attention_norm: nn.Module,
        feed_forward: nn.Module,
        feed_forward_norm: nn.Module,
        dropout: nn.Module,
        placement: NormPlacement,
        cross_attention: nn.Module | None = None,
        cross_attention_norm: nn.Module | None = None,
        parallel: bool = False,
        relative_bias: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.attention = attention
        self.attention_norm = attention_norm
        self.cross_attention = cross_attention
        self.cross_attention_norm = cross_attention_norm
        self.feed_forward = feed_forward
        self.feed_forward_norm = feed_forward_norm
        self.dropout = dropout
        self.placement = placement
        self.parallel = parallel
        self.relative_bias = relative_bias
        self.input, self.output, self.position_bias = HookPoint(), HookPoint(), HookPoint()
        self.after_attention, self.after_attention_norm = HookPoint(), HookPoint()
        self.after_cross_attention, self.after_cross_attention_norm = HookPoint(), HookPoint()
        self.after_feed_forward, self.after_feed_forward_norm = HookPoint(), HookPoint()

    def forward(
        self,
        hidden: Tensor,
        *,
        mask: Mask | None = None,
        position_bias: Tensor | None = None,
        rotation: Tensor | None = None,
        memory: Tensor | None = None,
        memory_mask: Mask | None = None,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """Move the residual stream one layer on.

        Args:
            hidden: ``[batch, token, width]``.
            mask: for the self-attention.
            position_bias: ``[1 or batch, head, query, key]`` for the self-attention.
            rotation: of queries and keys in the self-attention, see
                :func:`core.models.blocks.rotary.rotate`.
            memory: ``[batch, key, width]``, the encoder's output, for the cross-attention.
            memory_mask: for the cross-attention.
            cache: what the attentions keep between two steps.

        Returns:
            ``[batch, token, width]``.
        """
        pre = self.placement is NormPlacement.PRE
        hidden = entered = self.input(hidden)

        source = self.after_attention_norm(self.attention_norm(hidden)) if pre else hidden
        kept = None if cache is None else cache.attention
        if self.relative_bias is not None:
            queries = hidden.shape[1]
            keys = queries if kept is None else queries + kept.length
            position_bias = self.position_bias(self.relative_bias(queries, keys))
        branch = self.attention(
            source, mask=mask, position_bias=position_bias, rotation=rotation, cache=kept
        )
        hidden = self.after_attention(hidden + self.dropout(branch))
        if not pre:
            hidden = self.after_attention_norm(self.attention_norm(hidden))

        if self.cross_attention is not None and self.cross_attention_norm is not None:
            norm, point = self.cross_attention_norm, self.after_cross_attention_norm
            source = point(norm(hidden)) if pre else hidden
            kept = None if cache is None else cache.cross_attention
            branch = self.cross_attention(source, memory=memory, mask=memory_mask, cache=kept)
            hidden = self.after_cross_attention(hidden + self.dropout(branch))
            if not pre:
                hidden = point(norm(hidden))

        source = entered if self.parallel else hidden
        source = self.after_feed_forward_norm(self.feed_forward_norm(source)) if pre else source
        hidden = self.after_feed_forward(hidden + self.dropout(self.feed_forward(source)))
        if not pre:
            hidden = self.after_feed_forward_norm(self.feed_forward_norm(hidden))
        return self.output(hidden)
