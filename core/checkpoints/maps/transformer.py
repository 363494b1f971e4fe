"""Checkpoints of the original Transformer, in the form of Marian's."""

from core.checkpoints.family import Family
from core.checkpoints.hf_config import (
    ACTIVATION,
    COUNT,
    FLAG,
    NUMBER,
    NUMBER_FROM_0,
    PROBABILITY,
    ConfigTable,
    Kind,
    Setting,
)
from core.checkpoints.key_rules import Alias, Drop, KeyRules, Rename, Reshape, Rule
from core.checkpoints.sizes import MAX_LAYERS, MAX_POSITIONS, MAX_VOCABULARY, MAX_WIDTH
from core.config import Head
from core.models.architectures.transformer import transformer_config

_ENCODER, _DECODER = "encoder.layer", "decoder.layer"
_SCALED = Kind("true or false", FLAG.read, lambda scale: scale != 1.0)

_SETTINGS = (
    Setting("vocab_size", "vocabulary", "embedding.vocabulary", COUNT, limit=MAX_VOCABULARY),
    Setting("d_model", "width", "embedding.width", COUNT, limit=MAX_WIDTH),
    Setting("encoder_layers", "layers", "encoder.depth", COUNT, limit=MAX_LAYERS),
    Setting("decoder_layers", "decoder_layers", "decoder.depth", COUNT, limit=MAX_LAYERS),
    Setting(
        "encoder_attention_heads", "heads", f"{_ENCODER}.attention.heads", COUNT, limit=MAX_WIDTH
    ),
    Setting(
        "encoder_ffn_dim", "feed_forward", f"{_ENCODER}.feed_forward.hidden", COUNT, limit=MAX_WIDTH
    ),
    Setting(
        "max_position_embeddings",
        "max_positions",
        "embedding.max_positions",
        COUNT,
        1024,
        MAX_POSITIONS,
    ),
    Setting("scale_embedding", "scaled", "embedding.scale", _SCALED, False),
    Setting(
        "activation_function",
        "activation",
        f"{_ENCODER}.feed_forward.activation",
        ACTIVATION,
        "gelu",
    ),
    Setting("dropout", "dropout", "embedding.dropout", PROBABILITY, 0.1),
    Setting(
        "attention_dropout", "attention_dropout", f"{_ENCODER}.attention.dropout", PROBABILITY, 0.0
    ),
    Setting(
        "activation_dropout", "inner_dropout", f"{_ENCODER}.feed_forward.dropout", PROBABILITY, 0.0
    ),
    Setting("decoder_start_token_id", "start_id", "start_id", NUMBER_FROM_0, 58100, MAX_VOCABULARY),
    Setting(
        "pad_token_id", "padding_id", "embedding.padding_id", NUMBER_FROM_0, 58100, MAX_VOCABULARY
    ),
    Setting("init_std", "initial_deviation", "initial_deviation", NUMBER, 0.02),
)

_ATTENTION = (
    ("q_proj", "query_projection"),
    ("k_proj", "key_projection"),
    ("v_proj", "value_projection"),
    ("out_proj", "output_projection"),
)


def _stack(side: str) -> list[Rule]:
    theirs, ours = f"model.{side}.layers.{{}}", f"{side}.layers.{{}}"
    attentions = [("self_attn", "attention")]
    if side == "decoder":
        attentions.append(("encoder_attn", "cross_attention"))
    rules: list[Rule] = [
        Alias(f"model.{side}.embed_tokens.weight", "model.shared.weight"),
        Drop(f"model.{side}.embed_positions.weight"),
        Rename(f"{theirs}.fc1", f"{ours}.feed_forward.inner_projection"),
        Rename(f"{theirs}.fc2", f"{ours}.feed_forward.output_projection"),
        Rename(f"{theirs}.final_layer_norm", f"{ours}.feed_forward_norm"),
    ]
    for one, two in attentions:
        rules += [
            Rename(f"{theirs}.{one}.{name}", f"{ours}.{two}.{own}") for name, own in _ATTENTION
        ]
        rules.append(Rename(f"{theirs}.{one}_layer_norm", f"{ours}.{two}_norm"))
    return rules


_KEYS = KeyRules(
    body="model.",
    rules=(
        Rename("model.shared", "embedding.token_table"),
        *_stack("encoder"),
        *_stack("decoder"),
        Alias("lm_head.weight", "model.shared.weight"),
        Reshape("final_logits_bias", "language.bias", theirs_shape=(1, -1), ours_shape=(-1,)),
    ),
)

TRANSFORMER = Family(
    system="transformer",
    model_type="marian",
    table=ConfigTable(
        build=transformer_config,
        settings=_SETTINGS,
        constants={
            "is_encoder_decoder": True,
            "normalize_before": False,
            "static_position_embeddings": True,
            "share_encoder_decoder_embeddings": True,
            "tie_word_embeddings": True,
        },
        multiples=(("d_model", "encoder_attention_heads"),),
        architectures={"MarianMTModel": (Head.LANGUAGE,), "MarianModel": ()},
        copies={
            "decoder_attention_heads": "encoder_attention_heads",
            "decoder_ffn_dim": "encoder_ffn_dim",
        },
    ),
    keys=lambda _settings: _KEYS,
)
