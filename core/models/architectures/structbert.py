"""StructBERT: BERT that also puts shuffled words right and tells three orders of sentences apart.

Source: Wang et al. 2020, "StructBERT: Incorporating Language Structures into Pre-training for Deep
Language Understanding", section 2. Shuffled words are scored by the masked-word head.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torch import Tensor

from core.config import Head, ModelConfig
from core.errors import MissingHeadError
from core.models.architectures.bert import Bert, BertOutput, bert_config
from core.models.heads import SequenceHead

ORDERS = ("next", "previous", "elsewhere")  # what the columns of the head stand for


def structbert_config(
    *,
    vocabulary: int,
    predicts: tuple[Head, ...] = (Head.MASKED_LANGUAGE, Head.SENTENCE_STRUCTURE),
    pooler: bool = True,
    **settings: Any,
) -> ModelConfig:
    """A StructBERT of the given size; the defaults are StructBERT-base.

    Args:
        predicts: which heads to build.
        pooler: whether to build the pooler; the sentence head needs it.
        settings: further arguments of :func:`bert_config`.

    Raises:
        ConfigError: as in :func:`bert_config`.
    """
    config = bert_config(vocabulary=vocabulary, predicts=predicts, pooler=pooler, **settings)
    return replace(config, system="structbert")


class StructBert(Bert):
    """BERT with a head for three orders: B follows A, comes before it, is from elsewhere."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        judged = Head.SENTENCE_STRUCTURE in config.heads
        self.sentence_structure = (
            SequenceHead(config.embedding.width, len(ORDERS)) if judged else None
        )

    def judge_pair(self, hidden: Tensor) -> Tensor:
        """How do A and B stand? ``[batch, token, width]`` to ``[batch, 3]``, see ``ORDERS``.

        Raises:
            MissingHeadError: the model has no such head.
        """
        if self.sentence_structure is None or self.pooler is None:
            raise MissingHeadError("the order of sentences")
        return self.sentence_structure(self.pooler(hidden))

    def forward(
        self, ids: Tensor, segments: Tensor | None = None, keep: Tensor | None = None
    ) -> BertOutput:
        """Encode and predict; arguments as in :meth:`EncoderBody.encode`, three columns a pair."""
        hidden = self.encode(ids, segments, keep)
        return BertOutput(
            hidden,
            token_logits=self.score_words(hidden) if self.masked_language is not None else None,
            pair_logits=self.judge_pair(hidden) if self.sentence_structure is not None else None,
        )
