"""ALBERT: BERT with a narrow embedding, layers that share their weights, and sentence order.

Source: Lan et al. 2020, "ALBERT: A Lite BERT for Self-supervised Learning of Language
Representations", section 3.1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.config import Activation, Head, ModelConfig, Sharing, StackConfig
from core.errors import ConfigError
from core.hugging_face import encoders
from core.hugging_face.family import Family
from core.hugging_face.keys import Grouped, KeyRules, Rename
from core.hugging_face.limits import MAX_LAYERS, MAX_WIDTH
from core.hugging_face.settings import COUNT, ConfigTable, Json, Setting, ValueType
from core.models.architectures.bert import bert_config
from core.models.encoder import EncoderBody
from core.models.heads import MaskedLanguageHead, Pooler, SequenceHead
from core.models.recipe import WORDS, Recipe, like_bert
from core.models.system import System

if TYPE_CHECKING:
    from core.objectives.objective import SummedObjective
    from core.training.material import Material


def albert_config(
    *,
    vocabulary: int,
    embedding_width: int = 128,
    layers: int = 12,
    groups: int = 1,
    inner_layers: int = 1,
    width: int = 768,
    activation: Activation = Activation.GELU_TANH,
    dropout: float = 0.0,
    attention_dropout: float = 0.0,
    predicts: tuple[Head, ...] = (Head.MASKED_LANGUAGE, Head.SENTENCE_ORDER),
    pooler: bool = True,
    sharing: Sharing | None = None,
    **settings: Any,
) -> ModelConfig:
    """An ALBERT of the given size; the defaults are ALBERT-base (table 1).

    Args:
        embedding_width: features of the tables, before the projection.
        layers: how often a group runs.
        groups: of layers that share all their weights; layer i belongs to group
            ``floor(i / (layers / groups))``, also where that does not divide.
        inner_layers: layers of a group, each with its own weights: they multiply the depth.
        sharing: ``None`` to share whole groups; else every layer has a module of its own, and all
            share their attention or their feed-forward part, or nothing (table 4).
        settings: further arguments of :func:`bert_config`.

    Raises:
        ConfigError: there are more groups than layers, or as in :func:`bert_config`.
    """
    if not 1 <= groups <= layers:
        raise ConfigError(f"{layers} layers cannot be shared by {groups} groups")
    config = bert_config(
        vocabulary=vocabulary,
        width=width,
        layers=layers,
        activation=activation,
        dropout=dropout,
        attention_dropout=attention_dropout,
        predicts=predicts,
        pooler=pooler,
        **settings,
    )
    assert config.encoder is not None
    layer = config.encoder.layer
    if sharing is None:
        stack = StackConfig(layer, shared_plan(layers, groups, inner_layers))
    else:
        stack = StackConfig.of_depth(layer, layers, sharing=sharing)
    tables = replace(config.embedding, width=embedding_width, output_width=width)
    return replace(config, system="albert", embedding=tables, encoder=stack)


def shared_plan(layers: int, groups: int, inner_layers: int) -> tuple[int, ...]:
    """Which module serves each layer of the forward pass, with a group's layers side by side.

    Five layers in two groups of one: ``(0, 0, 0, 1, 1)``; three in two groups of two:
    ``(0, 1, 0, 1, 2, 3)``.
    """
    return tuple(
        int(layer / (layers / groups)) * inner_layers + inner
        for layer in range(layers)
        for inner in range(inner_layers)
    )


class Albert(EncoderBody):
    """The encoder body over a projected embedding, with a pooler and ALBERT's two heads."""

    pair_head = "sentence_order"
    judged = "sentence order"

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        tables, layer = config.embedding, self.encoder_config.layer
        self.pooler = Pooler(layer.width) if config.pooler else None
        if Head.MASKED_LANGUAGE in config.heads:
            self.masked_language = MaskedLanguageHead(
                layer.width,
                tables.vocabulary,
                layer.feed_forward.activation,
                layer.norm_epsilon,
                tables.width,
                tied=config.tied,
            )
        ordered = Head.SENTENCE_ORDER in config.heads
        self.sentence_order = SequenceHead(layer.width, 2) if ordered else None


# Checkpoints of ALBERT, with both heads, one or none.

MAX_INNER_LAYERS = 12  # of a group; published checkpoints have 1

_LAYER = (
    ("attention.query", "attention.query_projection"),
    ("attention.key", "attention.key_projection"),
    ("attention.value", "attention.value_projection"),
    ("attention.dense", "attention.output_projection"),
    ("attention.LayerNorm", "attention_norm"),
    ("ffn", "feed_forward.inner_projection"),
    ("ffn_output", "feed_forward.output_projection"),
    ("full_layer_layer_norm", "feed_forward_norm"),
)


def _layers_groups_inner(plan: tuple[int, ...]) -> tuple[int, int, int]:
    """How often groups run, how many there are, and the layers of each, for a plan of modules.

    Several answers may fit; the one with the smallest groups is given. For a plan that no answer
    fits, the one of single layers, whose plan is then another one.
    """
    modules = max(plan) + 1
    for inner in range(1, MAX_INNER_LAYERS + 1):
        layers, groups = len(plan) // inner, modules // inner
        if groups and shared_plan(layers, groups, inner) == plan:
            return layers, groups, inner
    return len(plan), modules, 1


def _part(index: int) -> ValueType:
    return ValueType(COUNT.wanted, COUNT.read, lambda plan: _layers_groups_inner(plan)[index])


_PLAN = "encoder.plan"
_INNER = Setting("inner_group_num", "inner_layers", _PLAN, _part(2), 1, MAX_INNER_LAYERS)
_PLAN_SETTINGS = (
    Setting("num_hidden_layers", "layers", _PLAN, _part(0), limit=MAX_LAYERS),
    Setting("num_hidden_groups", "groups", _PLAN, _part(1), 1, MAX_LAYERS),
    _INNER,
)


def _keys(settings: Json) -> KeyRules:
    inner = _INNER.read(settings)
    layer = "albert.encoder.albert_layer_groups.{}.albert_layers.{}"
    return KeyRules(
        body="albert.",
        rules=(
            *encoders.embedding_rules("albert.embeddings"),
            *encoders.buffer_rules("albert.embeddings"),
            Rename("albert.encoder.embedding_hidden_mapping_in", "embedding.projection"),
            *(
                Grouped(f"{layer}.{theirs}", f"encoder.layers.{{}}.{ours}", size=inner)
                for theirs, ours in _LAYER
            ),
            Rename("albert.pooler", "pooler.dense"),
            Rename("predictions.dense", "masked_language.dense"),
            Rename("predictions.LayerNorm", "masked_language.norm"),
            *encoders.bias_rules("predictions.bias", "predictions.decoder.bias"),
            *encoders.output_rules(
                settings, "predictions.decoder.weight", "albert.embeddings.word_embeddings.weight"
            ),
            Rename("sop_classifier.classifier", "sentence_order.dense"),
            *encoders.label_rules(settings, "Albert", ("classifier", "output")),
        ),
    )


ALBERT = Family(
    system="albert",
    model_type="albert",
    table=ConfigTable(
        build=albert_config,
        settings=(
            encoders.VOCABULARY,
            Setting("embedding_size", "embedding_width", "embedding.width", COUNT, 128, MAX_WIDTH),
            *encoders.layer_settings(
                layers=None,
                activation=("hidden_act", "gelu_new"),
                dropout=("hidden_dropout_prob", 0.0),
                attention_dropout=("attention_probs_dropout_prob", 0.0),
            ),
            *_PLAN_SETTINGS,
            encoders.POSITIONS,
            encoders.SEGMENTS,
            encoders.NORM_EPSILON,
            encoders.DEVIATION,
            encoders.TIED,
        ),
        constants={"position_embedding_type": "absolute"},
        multiples=(("hidden_size", "num_attention_heads"),),
        architectures={
            "AlbertForPreTraining": (Head.MASKED_LANGUAGE, Head.SENTENCE_ORDER),
            "AlbertForMaskedLM": (Head.MASKED_LANGUAGE,),
            "AlbertModel": (),
            **encoders.label_architectures("Albert"),
        },
        defaults={
            **encoders.DEFAULTS,
            "vocab_size": 30_000,
            "hidden_size": 4_096,
            "num_attention_heads": 64,
            "intermediate_size": 16_384,
        },
    ),
    keys=_keys,
)


def _task(material: Material) -> SummedObjective[Any, Any]:
    from core.objectives.bert_pretraining import BertPretraining
    from core.objectives.relations import Relation

    return BertPretraining(**material.hidden_words(Relation.ORDER))


SYSTEMS = (
    System(
        "ALBERT",
        2020,
        "Lan et al. 2020, “ALBERT”",
        Albert,
        ALBERT,
        (
            Recipe(
                "sop",
                like_bert(albert_config),
                _task,
                needs=(WORDS, (Head.SENTENCE_ORDER, "sentence order")),
                segments=2,
            ),
        ),
    ),
)
