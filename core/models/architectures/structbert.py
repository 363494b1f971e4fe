"""StructBERT: BERT that also puts shuffled words right and tells three orders of sentences apart.

Source: Wang et al. 2020, "StructBERT: Incorporating Language Structures into Pre-training for Deep
Language Understanding", section 2. Shuffled words are scored by the masked-word head.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.config import Head, ModelConfig
from core.hugging_face.keys import Rename
from core.models.architectures.bert import Bert, bert_config, beside_bert
from core.models.heads import SequenceHead
from core.models.recipe import WORDS, Recipe, like_bert
from core.models.system import System

if TYPE_CHECKING:
    from core.objectives.objective import SummedObjective
    from core.training.material import Material

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


STRUCTBERT = beside_bert(
    "structbert",
    structbert_config,
    extra_heads=(Head.SENTENCE_STRUCTURE,),
    rules=(Rename("cls.sentence_structure", "sentence_structure.dense"),),
)


def _task(material: Material) -> SummedObjective[Any, Any]:
    from core.objectives.relations import Relation
    from core.objectives.word_order import StructPretraining

    return StructPretraining(**material.hidden_words(Relation.STRUCTURE))


SYSTEMS = (
    System(
        "StructBERT",
        2020,
        "Wang et al. 2020, “StructBERT”",
        StructBert,
        STRUCTBERT,
        (
            Recipe(
                "structbert",
                like_bert(structbert_config),
                _task,
                needs=(WORDS, (Head.SENTENCE_STRUCTURE, "the order of sentences")),
                segments=2,
            ),
        ),
    ),
)
