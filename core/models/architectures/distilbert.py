"""DistilBERT: half of BERT's layers, without segments and without a pooler.

Source: Sanh et al. 2019, "DistilBERT, a distilled version of BERT", section 3. The model is
:class:`core.models.architectures.bert.Bert`; what is new is how it learns from its teacher.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from core.config import Activation, Head, LabelConfig, ModelConfig
from core.errors import ConfigError
from core.hugging_face import encoders
from core.hugging_face.family import Family
from core.hugging_face.keys import KeyRules, Rename
from core.hugging_face.settings import ConfigTable, Json
from core.models.architectures.bert import Bert, bert_config
from core.models.recipe import WORDS, Recipe, like_bert
from core.models.system import System

if TYPE_CHECKING:
    from core.objectives.objective import SummedObjective
    from core.training.material import Material


def distilbert_config(
    *,
    vocabulary: int,
    layers: int = 6,
    predicts: tuple[Head, ...] = (Head.MASKED_LANGUAGE,),
    pooler: bool = False,
    labels: LabelConfig | None = None,
    **settings: Any,
) -> ModelConfig:
    """A DistilBERT of the given size; the defaults are the published one.

    Args:
        labels: of a fine-tuned model, whose head has a layer of its own.
        settings: further arguments of :func:`bert_config`.

    Raises:
        ConfigError: a pooler is asked for, or as in :func:`bert_config`.
    """
    if pooler:
        raise ConfigError("DistilBERT has no pooler")
    config = bert_config(
        vocabulary=vocabulary,
        layers=layers,
        segments=0,
        predicts=predicts,
        pooler=False,
        labels=labels and replace(labels, hidden=Activation.RELU),
        **settings,
    )
    return replace(config, system="distilbert")


# Checkpoints of DistilBERT.

_LAYER = (
    ("attention.q_lin", "attention.query_projection"),
    ("attention.k_lin", "attention.key_projection"),
    ("attention.v_lin", "attention.value_projection"),
    ("attention.out_lin", "attention.output_projection"),
    ("sa_layer_norm", "attention_norm"),
    ("ffn.lin1", "feed_forward.inner_projection"),
    ("ffn.lin2", "feed_forward.output_projection"),
    ("output_layer_norm", "feed_forward_norm"),
)


def _keys(settings: Json) -> KeyRules:
    table = "distilbert.embeddings.word_embeddings.weight"
    return KeyRules(
        body="distilbert.",
        rules=(
            *encoders.embedding_rules("distilbert.embeddings", with_segments=False),
            *encoders.buffer_rules("distilbert.embeddings"),
            *encoders.layer_rules("distilbert.transformer.layer.{}", _LAYER),
            Rename("vocab_transform", "masked_language.dense"),
            Rename("vocab_layer_norm", "masked_language.norm"),
            Rename("vocab_projector.bias", "masked_language.bias"),
            *encoders.output_rules(settings, "vocab_projector.weight", table),
            *encoders.label_rules(
                settings, "DistilBert", ("pre_classifier", "dense"), ("classifier", "output")
            ),
        ),
    )


DISTILBERT = Family(
    system="distilbert",
    model_type="distilbert",
    table=ConfigTable(
        build=distilbert_config,
        settings=(
            encoders.VOCABULARY,
            *encoders.layer_settings(
                width="dim",
                layers="n_layers",
                heads="n_heads",
                feed_forward="hidden_dim",
                activation=("activation", "gelu"),
                dropout=("dropout", 0.1),
                attention_dropout=("attention_dropout", 0.1),
            ),
            encoders.POSITIONS,
            encoders.DEVIATION,
            encoders.TIED,
        ),
        constants={},
        multiples=(("dim", "n_heads"),),
        architectures={
            "DistilBertForMaskedLM": (Head.MASKED_LANGUAGE,),
            "DistilBertModel": (),
            **encoders.label_architectures("DistilBert"),
        },
        defaults={
            "vocab_size": 30_522,
            "dim": 768,
            "n_layers": 6,
            "n_heads": 12,
            "hidden_dim": 3_072,
            "max_position_embeddings": 512,
        },
        other_names={
            "hidden_size": "dim",
            "num_hidden_layers": "n_layers",
            "num_attention_heads": "n_heads",
        },
    ),
    keys=_keys,
)


def _task(material: Material) -> SummedObjective[Any, Any]:
    from core.objectives.distillation import Distillation

    assert material.teacher is not None
    teacher, student = cast(Bert, material.teacher), material.config
    theirs = (teacher.config.embedding.vocabulary, teacher.config.embedding.layer_width)
    ours = (student.embedding.vocabulary, student.embedding.layer_width)
    if theirs != ours:
        raise ConfigError(
            f"teacher and student differ: {theirs[0]} and {ours[0]} tokens, widths of {theirs[1]}"
            f" and {ours[1]}"
        )
    return Distillation(teacher=teacher, **material.hidden_words(None))


SYSTEMS = (
    System(
        "DistilBERT",
        2019,
        "Sanh et al. 2019, “DistilBERT, a distilled version of BERT”",
        Bert,
        DISTILBERT,
        (Recipe("distill", like_bert(distilbert_config), _task, needs=(WORDS,), taught=True),),
    ),
)
