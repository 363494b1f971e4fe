"""XLNet: predicts the words of a text in a random order, with a query stream for the prediction.

Source: Yang et al. 2019, "XLNet: Generalized Autoregressive Pretraining for Language
Understanding", section 2.
"""

from __future__ import annotations

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


def xlnet_config(
    *,
    vocabulary: int,
    layers: int = 12,
    heads: int = 12,
    width: int = 768,
    feed_forward: int = 3072,
    max_positions: int = 512,
    activation: Activation = Activation.GELU,
    norm_epsilon: float = 1e-12,
    dropout: float = 0.1,
    predicts: tuple[Head, ...] = (Head.LANGUAGE,),
    pooler: bool = False,
    initial_deviation: float = 0.02,
) -> ModelConfig:
    """An XLNet of the given size; the defaults are XLNet-base.

    Args:
        max_positions: longest text that is read at once. Distances need no table, but longer texts
            than those of the training are read badly.

    Raises:
        ConfigError: a pooler is asked for, the heads cannot share the width evenly, or a size is
            out of range.
    """
    if pooler:
        raise ConfigError("XLNet has no pooler")
    return ModelConfig(
        system="xlnet",
        embedding=EmbeddingConfig(
            vocabulary,
            width,
            max_positions,
            segments=0,
            dropout=dropout,
            positions=Positions.NONE,
            norm=False,
        ),
        encoder=StackConfig.of_depth(
            LayerConfig(
                width=width,
                attention=AttentionConfig.of_width(width, heads, dropout=dropout),
                feed_forward=FeedForwardConfig(feed_forward, activation, dropout=dropout),
                norm_epsilon=norm_epsilon,
                dropout=dropout,
            ),
            layers,
        ),
        heads=predicts,
        initial_deviation=initial_deviation,
        word_bias=True,
    )
