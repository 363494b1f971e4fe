"""GPT: a causal decoder that predicts the next piece.

Sources: Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training"
(GPT-1: post-norm); Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"
(GPT-2: pre-norm with a final norm).
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
    NormPlacement,
    StackConfig,
)


def gpt_config(
    *,
    vocabulary: int,
    layers: int = 12,
    heads: int = 12,
    width: int = 768,
    feed_forward: int | None = None,
    max_positions: int = 1024,
    activation: Activation = Activation.GELU_TANH,
    norm_epsilon: float = 1e-5,
    embedding_dropout: float = 0.1,
    dropout: float = 0.1,
    attention_dropout: float = 0.1,
    predicts: tuple[Head, ...] = (Head.LANGUAGE,),
    pooler: bool = False,
    initial_deviation: float = 0.02,
    placement: NormPlacement = NormPlacement.PRE,
) -> ModelConfig:
    """A GPT of the given size; the defaults are GPT-2's smallest (2019, section 2.3).

    Args:
        feed_forward: hidden features; ``None`` for four times the width.
        placement: ``PRE`` for GPT-2, ``POST`` for GPT-1.

    Raises:
        ConfigError: the heads cannot share the width evenly, or a size is out of range.
    """
    return ModelConfig(
        system="gpt" if placement is NormPlacement.PRE else "gpt1",
        embedding=EmbeddingConfig(
            vocabulary,
            width,
            max_positions,
            segments=0,
            dropout=embedding_dropout,
            norm=False,
        ),
        decoder=StackConfig.of_depth(
            LayerConfig(
                width=width,
                attention=AttentionConfig.of_width(width, heads, dropout=attention_dropout),
                feed_forward=FeedForwardConfig(feed_forward or 4 * width, activation),
                placement=placement,
                norm_epsilon=norm_epsilon,
                dropout=dropout,
            ),
            layers,
        ),
        heads=predicts,
        pooler=pooler,
        initial_deviation=initial_deviation,
    )
