"""SpanBERT: BERT that learns to fill whole spans, from single stretches of text.

Source: Joshi et al. 2020, "SpanBERT: Improving Pre-training by Representing and Predicting Spans",
section 3. The body has the letters' case and knows no next sentences.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from torch import Tensor

from core.config import Head, ModelConfig
from core.hugging_face.keys import Rename
from core.models.architectures.bert import Bert, bert_config, beside_bert
from core.models.heads_span import SpanBoundaryHead
from core.models.recipe import WORDS, Recipe, like_bert
from core.models.system import System

if TYPE_CHECKING:
    from core.objectives.objective import SummedObjective
    from core.training.material import Material


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


SPANBERT = beside_bert(
    "spanbert",
    spanbert_config,
    extra_heads=(Head.SPAN_BOUNDARY,),
    rules=tuple(
        Rename(f"cls.span_boundary.{part}", f"span_boundary.{part}")
        for part in ("position_table", "first", "first_norm", "second", "second_norm", "bias")
    ),
)


def _task(material: Material) -> SummedObjective[Any, Any]:
    from core.objectives.pieces import continuations
    from core.objectives.span_boundary import SpanPretraining

    continues = continuations(material.tokenizer).to(material.generator.device)
    return SpanPretraining(continuations=continues, **material.hidden_words(None))


SYSTEMS = (
    System(
        "SpanBERT",
        2020,
        "Joshi et al. 2020, “SpanBERT”",
        SpanBert,
        SPANBERT,
        (
            Recipe(
                "spanbert",
                like_bert(spanbert_config),
                _task,
                needs=(WORDS, (Head.SPAN_BOUNDARY, "words from the boundaries of their span")),
            ),
        ),
    ),
)
