"""One transformer layer with its residual stream."""

from __future__ import annotations

from torch import Tensor, nn

from core.config import NormPlacement
from core.hooks.point import HookPoint
from core.models.blocks.cache import LayerCache
from core.models.blocks.masks import Mask


class TransformerLayer(nn.Module):
    """Self-attention, optionally cross-attention, and feed-forward, each added to the stream.

    Hook points, all ``[batch, token, width]``: ``input``; after each sublayer's residual sum
    ``after_attention``, ``after_cross_attention``, ``after_feed_forward``; after each norm the same
    names with ``_norm`` (a post-norm normalises the sum, a pre-norm the sublayer's input);
    ``output``.

    Sources: Vaswani et al. 2017, "Attention Is All You Need", 3.1 (post-norm); Xiong et al. 2020,
    "On Layer Normalization in the Transformer Architecture" (both placements compared).
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
        self.input, self.output = HookPoint(), HookPoint()
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
        hidden = self.input(hidden)

        source = self.after_attention_norm(self.attention_norm(hidden)) if pre else hidden
        kept = None if cache is None else cache.attention
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

        source = self.after_feed_forward_norm(self.feed_forward_norm(hidden)) if pre else hidden
        hidden = self.after_feed_forward(hidden + self.dropout(self.feed_forward(source)))
        if not pre:
            hidden = self.after_feed_forward_norm(self.feed_forward_norm(hidden))
        return self.output(hidden)
