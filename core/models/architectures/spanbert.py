"""SpanBERT: BERT that learns to fill whole spans, from single stretches of text.

Source: Joshi et al. 2020, "SpanBERT: Improving Pre-training by Representing and Predicting Spans",
section 3. The body has the letters' case and knows no next sentences.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torch import Tensor

from core.config import Head, ModelConfig
from core.models.architectures.bert import Bert, bert_config
from core.models.heads_span import SpanBoundaryHead


def spanbert_config(
    *,
    vocabulary: int,
    predicts: tuple[Head, ...] = (Head.MASKED_LANGUAGE, Head.SPAN_BOUNDARY),
    pooler: bool = False,
    **settings: Any,
) -> ModelConfig:
    """A SpanBERT of the given size; the defaults are SpanBERT-base.

    Args:
        predicts: which heads to build.
        pooler: whether there is one.
        settings: further arguments of :func:`bert_config`.

    Raises:
        ConfigError: as in :func:`bert_config`.
    """
    config = bert_config(vocabulary=vocabulary, predicts=predicts, pooler=pooler, **settings)
    return replace(config, system="spanbert")


class SpanBert(Bert):
    """BERT with a head that scores hidden words from the two tokens around their span."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        tables = config.embedding
        self.span_boundary = (
            SpanBoundaryHead(tables.width, tables.vocabulary, norm_epsilon=tables.norm_epsilon)
            if Head.SPAN_BOUNDARY in config.heads
            else None
        )

    @property
    def span_positions(self) -> int:
        """See :attr:`Body.span_positions`."""
        return 0 if self.span_boundary is None else self.span_boundary.position_table.num_embeddings

    def score_spans(self, left: Tensor, right: Tensor, offset: Tensor) -> Tensor:
        """As :class:`SpanBoundaryHead`, with the model's token table.

        Raises:
            MissingHeadError: the model has no such head.
        """
        if self.span_boundary is None:
            return super().score_spans(left, right, offset)
        return self.span_boundary(left, right, offset, self.embedding.token_table.weight)
