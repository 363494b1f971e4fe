"""The plumbing: from configurations to built blocks. An absent part is a fresh identity."""

from __future__ import annotations

from dataclasses import replace

from torch import nn

from core.config import (
    EmbeddingConfig,
    LayerConfig,
    NormKind,
    NormPlacement,
    Positions,
    Sharing,
    StackConfig,
)
from core.models.blocks.attention import Attention
from core.models.blocks.embedding import Embedding
from core.models.blocks.feed_forward import FeedForward
from core.models.blocks.norms import RootMeanSquareNorm
from core.models.blocks.positions import (
    LearnedPositions,
    PositionsAfterPadding,
    SinusoidalPositions,
)
from core.models.blocks.relative import RelativeBias
from core.models.blocks.rotary import RotaryPositions
from core.models.blocks.stack import LayerStack, TransformerLayer
from core.models.blocks.weights import Linear, Table


def build_embedding(config: EmbeddingConfig, token_table: nn.Embedding | None = None) -> Embedding:
    """Token, position and segment terms with norm, dropout and projection.

    Args:
        token_table: one that is shared with another embedding; ``None`` for a fresh one.
    """
    width = config.width
    return Embedding(
        token_table=token_table or Table(config.vocabulary, width),
        position_table=_build_positions(config),
        segment_table=Table(config.segments, width) if config.segments else None,
        norm=nn.LayerNorm(width, eps=config.norm_epsilon) if config.norm else nn.Identity(),
        dropout=nn.Dropout(config.dropout),
        projection=Linear(width, config.output_width) if config.output_width else None,
        scale=config.scale,
    )


def _build_positions(config: EmbeddingConfig) -> nn.Module | None:
    limit, width = config.max_positions, config.width
    match config.positions:
        case Positions.NONE:
            return None
        case Positions.LEARNED:
            return LearnedPositions(limit, width)
        case Positions.AFTER_PADDING:
            return PositionsAfterPadding(limit, width, config.padding_id)
        case Positions.INTERLEAVED | Positions.HALVES as kind:
            interleaved = kind is Positions.INTERLEAVED
            return SinusoidalPositions(limit, width, interleaved=interleaved)


def build_norm(config: LayerConfig) -> nn.Module:
    """A norm over the residual stream."""
    if config.norm is NormKind.RMS:
        return RootMeanSquareNorm(config.width, config.norm_epsilon)
    return nn.LayerNorm(config.width, eps=config.norm_epsilon)


def build_layer(config: LayerConfig, relative_bias: RelativeBias | None = None) -> TransformerLayer:
    """One layer with its own norms; cross-attention only if the configuration has it.

    Args:
        relative_bias: of its self-attention alone, if it has one.
    """
    return TransformerLayer(
        attention=Attention(config.attention, config.width),
        attention_norm=build_norm(config),
        cross_attention=(
            Attention(config.attention, config.width) if config.cross_attention else None
        ),
        cross_attention_norm=build_norm(config) if config.cross_attention else None,
        feed_forward=FeedForward(config.feed_forward, config.width),
        feed_forward_norm=build_norm(config),
        dropout=nn.Dropout(config.dropout),
        placement=config.placement,
        parallel=config.parallel,
        relative_bias=relative_bias,
    )


def build_stack(config: StackConfig, *, bidirectional: bool = True) -> LayerStack:
    """As many modules as the plan uses; a pre-norm stack ends with a norm.

    Args:
        bidirectional: whether queries attend to keys on both sides, as relative distances must
            know.
    """
    layer = config.layer

    def distances(wanted: bool) -> RelativeBias | None:
        if config.relative_bias is None or not wanted:
            return None
        heads = layer.attention.heads
        return RelativeBias(config.relative_bias, heads, layer.width, bidirectional=bidirectional)

    shared = config.shared_bias is not None
    layers = [
        build_layer(
            _scaled(layer, 1 / (number + 1)) if config.scores_by_layer else layer,
            distances(not shared),
        )
        for number in range(config.modules)
    ]
    for other in layers[1:]:
        _share(config.sharing, layers[0], other)
    return LayerStack(
        layers=layers,
        plan=config.plan,
        final_norm=build_norm(layer) if layer.placement is NormPlacement.PRE else nn.Identity(),
        relative_bias=distances(shared),
        rotary=(
            RotaryPositions(config.rotary, config.rotary.turned(layer.attention.head_size))
            if config.rotary
            else None
        ),
    )


def _scaled(layer: LayerConfig, factor: float) -> LayerConfig:
    scale = layer.attention.score_scale * factor
    return replace(layer, attention=replace(layer.attention, scale=scale))


def _share(sharing: Sharing, first: TransformerLayer, other: TransformerLayer) -> None:
    if sharing is Sharing.ATTENTION:
        other.attention, other.attention_norm = first.attention, first.attention_norm
    if sharing is Sharing.FEED_FORWARD:
        other.feed_forward = first.feed_forward
        other.feed_forward_norm = first.feed_forward_norm
