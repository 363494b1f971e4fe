"""StructBERT: BERT that also puts shuffled words right and tells three orders of sentences apart.

Source: Wang et al. 2020, "StructBERT: Incorporating Language Structures into Pre-training for Deep
Language Understanding", section 2. Shuffled words are scored by the masked-word head.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.config import Head, ModelConfig
from core.models.architectures.bert import Bert, bert_config
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
    """BERT with a head for three ``ORDERS``: B follows A, comes before it, is from elsewhere."""

    pair_head = "sentence_structure"
    judged = "the order of sentences"

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        judged = Head.SENTENCE_STRUCTURE in config.heads
        self.sentence_structure = (
            SequenceHead(config.embedding.width, len(ORDERS)) if judged else None
        )
