"""The plumbing: from configurations to built blocks. An absent part is a fresh identity."""

from __future__ import annotations

from torch import nn

from core.config import EmbeddingConfig, LayerConfig, NormPlacement, StackConfig
from core.models.blocks.attention import Attention
from core.models.blocks.embedding import Embedding
from core.models.blocks.feed_forward import FeedForward
from core.models.blocks.layer import TransformerLayer
from core.models.blocks.positions import LearnedPositions
from core.models.blocks.stack import LayerStack


def build_embedding(config: EmbeddingConfig) -> Embedding:
    """Token, learned position and segment tables with norm and dropout."""
    return Embedding(
        token_table=nn.Embedding(config.vocabulary, config.width),
        position_table=LearnedPositions(config.max_positions, config.width),
        segment_table=nn.Embedding(config.segments, config.width) if config.segments else None,
        norm=nn.LayerNorm(config.width, eps=config.norm_epsilon),
        dropout=nn.Dropout(config.dropout),
    )


def build_layer(config: LayerConfig) -> TransformerLayer:
    """One layer with its own norms; cross-attention only if the configuration has it."""

    def norm() -> nn.Module:
        return nn.LayerNorm(config.width, eps=config.norm_epsilon)

    return TransformerLayer(
        attention=Attention(config.attention, config.width),
        attention_norm=norm(),
        cross_attention=(
            Attention(config.attention, config.width) if config.cross_attention else None
        ),
        cross_attention_norm=norm() if config.cross_attention else None,
        feed_forward=FeedForward(config.feed_forward, config.width),
        feed_forward_norm=norm(),
        dropout=nn.Dropout(config.dropout),
        placement=config.placement,
    )


def build_stack(config: StackConfig) -> LayerStack:
    """As many modules as the plan uses; a pre-norm stack ends with a norm."""
    layer = config.layer
    pre = layer.placement is NormPlacement.PRE
    return LayerStack(
        layers=[build_layer(layer) for _ in range(config.modules)],
        plan=config.plan,
        final_norm=nn.LayerNorm(layer.width, eps=layer.norm_epsilon) if pre else nn.Identity(),
    )
