"""XLNet: predicts the words of a text in a random order, with a query stream for the prediction.

Source: Yang et al. 2019, "XLNet: Generalized Autoregressive Pretraining for Language
Understanding", section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from core.config import (
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
from core.models.blocks.activations import Activation
from core.models.heads import ScoresWords, build_language_head
from core.models.permutation import PermutationBody


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


@dataclass(frozen=True)
class XlnetOutput:
    """Results of one forward pass.

    Attributes:
        hidden: of the query stream where there are targets, else of the content stream,
            ``[batch, target or token, width]``.
        memory: for the next segment, one tensor a layer.
        token_logits: ``[batch, target or token, vocabulary]``, if the model has the head.
    """

    hidden: Tensor
    memory: tuple[Tensor, ...]
    token_logits: Tensor | None


class Xlnet(PermutationBody, ScoresWords):
    """The body of two streams with a head on the token table."""

    scored = "words in any order"

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.language = build_language_head(config)

    def forward(
        self,
        ids: Tensor,
        segments: Tensor | None = None,
        keep: Tensor | None = None,
        **options: Any,
    ) -> XlnetOutput:
        """Read and predict; arguments as in :meth:`PermutationBody.read`."""
        streams = self.read(ids, segments, keep, **options)
        hidden = streams.content if streams.query is None else streams.query
        logits = None if self.language is None else self.score_words(hidden)
        return XlnetOutput(hidden, streams.memory, logits)
