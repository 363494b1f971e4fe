"""Checkpoints of T5: the original, and version 1.1."""

from __future__ import annotations

from typing import Any

from core.checkpoints.family import Family
from core.checkpoints.hf_config import (
    COUNT,
    FLAG,
    NUMBER,
    NUMBER_FROM_0,
    OPTIONAL_COUNT,
    PROBABILITY,
    ConfigTable,
    Json,
    Kind,
    Setting,
)
from core.checkpoints.key_rules import Alias, KeyRules, Rename, Rule
from core.checkpoints.sizes import MAX_LAYERS, MAX_POSITIONS, MAX_VOCABULARY, MAX_WIDTH
from core.config import Activation, FeedForwardConfig, Head, ModelConfig
from core.models.architectures.t5 import t5_config

# What "feed_forward_proj" says: the activation, and whether it is gated.
_FEED_FORWARDS = {
    "relu": (Activation.RELU, False),
    "gated-gelu": (Activation.GELU_TANH, True),
    "gated-relu": (Activation.RELU, True),
}


def _feed_forward(value: Any) -> tuple[Activation, bool]:
    if not isinstance(value, str) or value not in _FEED_FORWARDS:
        raise ValueError
    return _FEED_FORWARDS[value]


def _name_of(part: FeedForwardConfig) -> str | None:
    wanted = (part.activation, part.gated)
    return next((name for name, found in _FEED_FORWARDS.items() if found == wanted), None)


_KINDS = Kind(f"one of {', '.join(_FEED_FORWARDS)}", _feed_forward, _name_of)
_ENCODER, _DECODER = "encoder.layer", "decoder.layer"
_BIAS = "encoder.relative_bias"


def _build(kind: tuple[Activation, bool], **settings: Any) -> ModelConfig:
    activation, gated = kind
    return t5_config(activation=activation, gated=gated, **settings)


_SETTINGS = (
    Setting("vocab_size", "vocabulary", "embedding.vocabulary", COUNT, limit=MAX_VOCABULARY),
    Setting("d_model", "width", "embedding.width", COUNT, limit=MAX_WIDTH),
    Setting("d_kv", "head_size", f"{_ENCODER}.attention.head_size", COUNT, limit=MAX_WIDTH),
    Setting("d_ff", "feed_forward", f"{_ENCODER}.feed_forward.hidden", COUNT, limit=MAX_WIDTH),
    Setting("num_layers", "layers", "encoder.depth", COUNT, limit=MAX_LAYERS),
    Setting(
        "num_decoder_layers", "decoder_layers", "decoder.depth", OPTIONAL_COUNT, None, MAX_LAYERS
    ),
    Setting("num_heads", "heads", f"{_ENCODER}.attention.heads", COUNT, limit=MAX_WIDTH),
    Setting(
        "relative_attention_num_buckets", "buckets", f"{_BIAS}.buckets", COUNT, 32, MAX_POSITIONS
    ),
    Setting(
        "relative_attention_max_distance",
        "max_distance",
        f"{_BIAS}.max_distance",
        COUNT,
        128,
        MAX_POSITIONS,
    ),
    Setting("n_positions", "max_positions", "embedding.max_positions", COUNT, 512, MAX_POSITIONS),
    Setting("dropout_rate", "dropout", "embedding.dropout", PROBABILITY, 0.1),
    Setting("layer_norm_epsilon", "norm_epsilon", f"{_ENCODER}.norm_epsilon", NUMBER, 1e-6),
    Setting("feed_forward_proj", "kind", f"{_ENCODER}.feed_forward", _KINDS, "relu"),
    Setting("tie_word_embeddings", "tied", "tied", FLAG, True),
    Setting("decoder_start_token_id", "start_id", "start_id", NUMBER_FROM_0, 0, MAX_VOCABULARY),
    Setting("initializer_factor", "initial_factor", "initial_deviation", NUMBER, 1.0),
)

_ATTENTION = (
    ("q", "query_projection"),
    ("k", "key_projection"),
    ("v", "value_projection"),
    ("o", "output_projection"),
)


def _stack(side: str, gated: bool) -> list[Rule]:
    """One side: its blocks are lists of sublayers, each with its norm."""
    parts = [("SelfAttention", "attention"), ("DenseReluDense", "feed_forward")]
    if side == "decoder":
        parts.insert(1, ("EncDecAttention", "cross_attention"))
    inner = [("wi_0", "inner_projection"), ("wi_1", "gate_projection")]
    dense = [*(inner if gated else [("wi", "inner_projection")]), ("wo", "output_projection")]
    rules: list[Rule] = [
        Rename(
            f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias",
            f"{side}.relative_bias.table",
        ),
        Rename(f"{side}.final_layer_norm", f"{side}.final_norm"),
        Alias(f"{side}.embed_tokens.weight", "shared.weight"),
    ]
    for place, (theirs, ours) in enumerate(parts):
        layer = f"{side}.block.{{}}.layer.{place}"
        names = dense if ours == "feed_forward" else _ATTENTION
        rules += [
            Rename(f"{layer}.{theirs}.{one}", f"{side}.layers.{{}}.{ours}.{two}")
            for one, two in names
        ]
        rules.append(Rename(f"{layer}.layer_norm", f"{side}.layers.{{}}.{ours}_norm"))
    return rules


def _keys(settings: Json) -> KeyRules:
    gated = str(settings.get("feed_forward_proj", "")).startswith("gated")
    tied = settings.get("tie_word_embeddings", True)
    head: Rule = (
        Alias("lm_head.weight", "shared.weight") if tied else Rename("lm_head", "language.own")
    )
    return KeyRules(
        body="",
        rules=(
            Rename("shared", "embedding.token_table"),
            *_stack("encoder", gated),
            *_stack("decoder", gated),
            head,
        ),
    )


T5 = Family(
    system="t5",
    model_type="t5",
    table=ConfigTable(
        build=_build,
        settings=_SETTINGS,
        constants={"is_encoder_decoder": True, "pad_token_id": 0},
        multiples=(),
        architectures={"T5ForConditionalGeneration": (Head.LANGUAGE,), "T5Model": ()},
    ),
    keys=_keys,
)
