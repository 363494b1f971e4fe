"""RoBERTa: BERT whose positions are counted after the padding id, with one segment type.

Source: Liu et al. 2019, "RoBERTa: A Robustly Optimized BERT Pretraining Approach", section 2. The
model is :class:`core.models.architectures.bert.Bert`; what is new is how it is trained. Conneau et
al. 2020, "Unsupervised Cross-lingual Representation Learning at Scale" (XLM-R), and Martin et al.
2020, "CamemBERT", are the same model.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from core.config import Activation, Head, LabelConfig, ModelConfig, Positions
from core.errors import ConfigError
from core.hugging_face import encoders
from core.hugging_face.family import Family
from core.hugging_face.keys import KeyRules, Rename
from core.hugging_face.limits import MAX_POSITIONS, MAX_VOCABULARY
from core.hugging_face.settings import COUNT, NUMBER_FROM_0, ConfigTable, Json, Setting
from core.models.architectures.bert import Bert, bert_config
from core.models.recipe import WORDS, Recipe, Sizes
from core.models.system import System
from core.tokenisation import Tokenizer

if TYPE_CHECKING:
    from core.objectives.objective import SummedObjective
    from core.training.material import Material


def roberta_config(
    *,
    vocabulary: int,
    position_rows: int = 514,
    segments: int = 1,
    padding_id: int = 1,
    norm_epsilon: float = 1e-5,
    predicts: tuple[Head, ...] = (Head.MASKED_LANGUAGE,),
    pooler: bool = False,
    labels: LabelConfig | None = None,
    **settings: Any,
) -> ModelConfig:
    """A RoBERTa of the given size; the defaults are RoBERTa-base.

    Args:
        position_rows: of the position table, those for padding included: 514 for 512 tokens.
        padding_id: the token that takes no position.
        labels: of a fine-tuned model, whose head has a layer of its own.
        settings: further arguments of :func:`bert_config`.

    Raises:
        ConfigError: no position is left beside the padding's, or as in :func:`bert_config`.
    """
    max_positions = position_rows - padding_id - 1
    if max_positions < 1:
        raise ConfigError(f"{position_rows} position rows leave none after padding id {padding_id}")
    config = bert_config(
        vocabulary=vocabulary,
        max_positions=max_positions,
        segments=segments,
        norm_epsilon=norm_epsilon,
        predicts=predicts,
        pooler=pooler,
        labels=labels and replace(labels, hidden=Activation.TANH),
        **settings,
    )
    tables = replace(config.embedding, positions=Positions.AFTER_PADDING, padding_id=padding_id)
    return replace(config, system="roberta", embedding=tables)


# Checkpoints of RoBERTa.


def _keys(settings: Json) -> KeyRules:
    table = "roberta.embeddings.word_embeddings.weight"
    return KeyRules(
        body="roberta.",
        rules=(
            *encoders.embedding_rules("roberta.embeddings"),
            *encoders.buffer_rules("roberta.embeddings"),
            *encoders.layer_rules("roberta.encoder.layer.{}"),
            Rename("roberta.pooler.dense", "pooler.dense"),
            Rename("lm_head.dense", "masked_language.dense"),
            Rename("lm_head.layer_norm", "masked_language.norm"),
            *encoders.bias_rules("lm_head.bias", "lm_head.decoder.bias"),
            *encoders.output_rules(settings, "lm_head.decoder.weight", table),
            *encoders.label_rules(
                settings,
                "Roberta",
                ("classifier.dense", "dense"),
                ("classifier.out_proj", "output"),
            ),
        ),
    )


ROBERTA = Family(
    system="roberta",
    model_type="roberta",
    table=ConfigTable(
        build=roberta_config,
        settings=(
            encoders.VOCABULARY,
            *encoders.layer_settings(),
            Setting(
                "max_position_embeddings",
                "position_rows",
                "embedding.position_rows",
                COUNT,
                limit=MAX_POSITIONS,
            ),
            Setting(
                "pad_token_id",
                "padding_id",
                "embedding.padding_id",
                NUMBER_FROM_0,
                1,
                MAX_VOCABULARY,
            ),
            encoders.SEGMENTS,
            encoders.NORM_EPSILON,
            encoders.DEVIATION,
            encoders.TIED,
        ),
        constants=encoders.CONSTANTS,
        multiples=(("hidden_size", "num_attention_heads"),),
        architectures={
            "RobertaForMaskedLM": (Head.MASKED_LANGUAGE,),
            "RobertaModel": (),
            **encoders.label_architectures("Roberta"),
        },
        defaults={**encoders.DEFAULTS, "vocab_size": 50_265},
    ),
    keys=_keys,
)


def _relative(model_type: str, classes: str) -> Family:
    """The same under another name: of other texts and with other pieces."""
    architectures = {f"{classes}ForMaskedLM": (Head.MASKED_LANGUAGE,), f"{classes}Model": ()}
    return replace(
        ROBERTA, model_type=model_type, table=replace(ROBERTA.table, architectures=architectures)
    )


XLM_ROBERTA = _relative("xlm-roberta", "XLMRoberta")
CAMEMBERT = _relative("camembert", "Camembert")


def _fresh(tokenizer: Tokenizer, sizes: Sizes) -> ModelConfig:
    """A RoBERTa whose positions are counted on from its padding id."""
    named = sizes.named()
    padding = tokenizer.pad_id
    return roberta_config(
        vocabulary=tokenizer.vocabulary_size,
        position_rows=named.pop("max_positions") + padding + 1,
        padding_id=padding,
        **cast(Any, named),
    )


def _task(material: Material) -> SummedObjective[Any, Any]:
    from core.objectives.bert_pretraining import BertPretraining

    return BertPretraining(**material.hidden_words(None))


SYSTEMS = (
    System(
        "RoBERTa",
        2019,
        "Liu et al. 2019, “RoBERTa”",
        Bert,
        ROBERTA,
        (Recipe("mlm", _fresh, _task, variant="roberta", needs=(WORDS,)),),
        relatives=(XLM_ROBERTA, CAMEMBERT),
    ),
)
