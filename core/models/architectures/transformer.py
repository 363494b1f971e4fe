"""The original Transformer: post-norm on both sides, waves for positions, scaled embeddings.

Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.
"""

from __future__ import annotations

import math

from core.config import (
    Activation,
    AttentionConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    Head,
    LayerConfig,
    ModelConfig,
    Positions,
    StackConfig,
)
from core.errors import ConfigError


def transformer_config(
    *,
    vocabulary: int,
    layers: int = 6,
    decoder_layers: int | None = None,
    heads: int = 8,
    width: int = 512,
    feed_forward: int = 2048,
    max_positions: int = 512,
    positions: Positions = Positions.HALVES,
    scaled: bool = True,
    activation: Activation = Activation.RELU,
    norm_epsilon: float = 1e-5,
    dropout: float = 0.1,
    attention_dropout: float = 0.0,
    inner_dropout: float = 0.0,
    start_id: int = 0,
    padding_id: int = 0,
    initial_deviation: float = 0.02,
    predicts: tuple[Head, ...] = (Head.LANGUAGE,),
    pooler: bool = False,
) -> ModelConfig:
    """A Transformer of the given size; the defaults are the base model (table 3).

    Args:
        decoder_layers: ``None`` for as many as the encoder has.
        positions: the paper has sine and cosine in turn (``INTERLEAVED``); Marian, whose file
            format the checkpoints have, puts all sines first (``HALVES``).
        scaled: whether token rows are multiplied by the root of the width (section 3.4).
        inner_dropout: between the projections of the feed-forward part.
        start_id: what the decoder reads first.
        padding_id: the token that fills up short texts.

    Raises:
        ConfigError: a pooler is asked for, the heads cannot share the width evenly, or a size is
            out of range.
    """
    if pooler:
        raise ConfigError("the Transformer has no pooler")

    def stack(depth: int, cross_attention: bool) -> StackConfig:
        return StackConfig.of_depth(
            LayerConfig(
                width=width,
                attention=AttentionConfig.of_width(width, heads, dropout=attention_dropout),
                feed_forward=FeedForwardConfig(feed_forward, activation, dropout=inner_dropout),
                norm_epsilon=norm_epsilon,
                dropout=dropout,
                cross_attention=cross_attention,
            ),
            depth,
        )

    return ModelConfig(
        system="transformer",
        embedding=EmbeddingConfig(
            vocabulary,
            width,
            max_positions,
            segments=0,
            dropout=dropout,
            positions=positions,
            padding_id=padding_id,
            norm=False,
            scale=math.sqrt(width) if scaled else 1.0,
        ),
        encoder=stack(layers, cross_attention=False),
        decoder=stack(layers if decoder_layers is None else decoder_layers, cross_attention=True),
        heads=predicts,
        initial_deviation=initial_deviation,
        word_bias=True,
        start_id=start_id,
    )
