"""BERT: a post-norm encoder that predicts hidden words and whether two sentences follow.

Devlin, Chang, Lee and Toutanova 2019, "BERT: Pre-training of Deep Bidirectional Transformers for
Language Understanding".
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
    StackConfig,
)
from core.models.encoder import EncoderBody
from core.models.heads import MaskedLanguageHead, Pooler, SequenceHead


def bert_config(
    *,
    vocabulary: int,
    layers: int = 12,
    heads: int = 12,
    width: int = 768,
    feed_forward: int | None = None,
    max_positions: int = 512,
    segments: int = 2,
    activation: Activation = Activation.GELU,
    norm_epsilon: float = 1e-12,
    dropout: float = 0.1,
    attention_dropout: float = 0.1,
    predicts: tuple[Head, ...] = (Head.MASKED_LANGUAGE, Head.NEXT_SENTENCE),
    pooler: bool = True,
    initial_deviation: float = 0.02,
) -> ModelConfig:
    """A BERT of the given size; the defaults are BERT-base (section 3, "Model Architecture").

    Args:
        feed_forward: hidden features; ``None`` for four times the width.
        predicts: which of BERT's two heads to build.
        pooler: whether to build the pooler; the next-sentence head needs it.

    Raises:
        ConfigError: the heads cannot share the width evenly, or a size is out of range.
    """
    return ModelConfig(
        system="bert",
        embedding=EmbeddingConfig(
            vocabulary, width, max_positions, segments, norm_epsilon, dropout
        ),
        encoder=StackConfig.of_depth(
            LayerConfig(
                width=width,
                attention=AttentionConfig.of_width(width, heads, dropout=attention_dropout),
                feed_forward=FeedForwardConfig(feed_forward or 4 * width, activation),
                norm_epsilon=norm_epsilon,
                dropout=dropout,
            ),
            layers,
        ),
        heads=predicts,
        pooler=pooler,
        initial_deviation=initial_deviation,
    )


class Bert(EncoderBody):
    """The encoder body with a pooler and BERT's two heads, each if the configuration has it."""

    pair_head = "next_sentence"
    judged = "next sentences"

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        tables = config.embedding
        self.pooler = Pooler(tables.width) if config.pooler else None
        if Head.MASKED_LANGUAGE in config.heads:
            self.masked_language = MaskedLanguageHead(
                tables.width,
                tables.vocabulary,
                self.encoder_config.layer.feed_forward.activation,
                tables.norm_epsilon,
            )
        self.next_sentence = (
            SequenceHead(tables.width, 2) if Head.NEXT_SENTENCE in config.heads else None
        )
