"""Checkpoints of ALBERT, with both heads, one or none."""

from __future__ import annotations

from core.checkpoints.family import Family
from core.checkpoints.hf_config import COUNT, ConfigTable, Json, Kind, Setting
from core.checkpoints.key_rules import Alias, Drop, Grouped, KeyRules, Rename
from core.checkpoints.maps import encoders
from core.checkpoints.sizes import MAX_LAYERS, MAX_WIDTH
from core.config import Head
from core.models.architectures.albert import albert_config, shared_plan

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


def _part(place: int) -> Kind:
    return Kind(COUNT.wanted, COUNT.read, lambda plan: _layers_groups_inner(plan)[place])


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
            Drop("albert.embeddings.position_ids"),
            Rename("albert.encoder.embedding_hidden_mapping_in", "embedding.projection"),
            *(
                Grouped(f"{layer}.{theirs}", f"encoder.layers.{{}}.{ours}", size=inner)
                for theirs, ours in _LAYER
            ),
            Rename("albert.pooler", "pooler.dense"),
            Rename("predictions.dense", "masked_language.dense"),
            Rename("predictions.LayerNorm", "masked_language.norm"),
            Rename("predictions.bias", "masked_language.bias"),
            Alias("predictions.decoder.weight", "albert.embeddings.word_embeddings.weight"),
            Alias("predictions.decoder.bias", "predictions.bias"),
            Rename("sop_classifier.classifier", "sentence_order.dense"),
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
            encoders.segments(2),
            encoders.norm_epsilon(1e-12),
            encoders.DEVIATION,
        ),
        constants={
            "position_embedding_type": "absolute",
            "tie_word_embeddings": True,
        },
        multiples=(("hidden_size", "num_attention_heads"),),
        architectures={
            "AlbertForPreTraining": (Head.MASKED_LANGUAGE, Head.SENTENCE_ORDER),
            "AlbertForMaskedLM": (Head.MASKED_LANGUAGE,),
            "AlbertModel": (),
        },
    ),
    keys=_keys,
)
