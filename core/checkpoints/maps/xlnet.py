"""Checkpoints of XLNet."""

from __future__ import annotations

from core.checkpoints.family import Family
from core.checkpoints.hf_config import (
    ACTIVATION,
    COUNT,
    NUMBER,
    PROBABILITY,
    ConfigTable,
    Json,
    Setting,
)
from core.checkpoints.key_rules import Alias, HeadsApart, KeyRules, Rename, Reshape
from core.checkpoints.sizes import MAX_LAYERS, MAX_VOCABULARY, MAX_WIDTH
from core.config import Head
from core.models.architectures.xlnet import xlnet_config

_LAYER = "encoder.layer"

_SETTINGS = (
    Setting("vocab_size", "vocabulary", "embedding.vocabulary", COUNT, limit=MAX_VOCABULARY),
    Setting("d_model", "width", "embedding.width", COUNT, limit=MAX_WIDTH),
    Setting("n_layer", "layers", "encoder.depth", COUNT, limit=MAX_LAYERS),
    Setting("n_head", "heads", f"{_LAYER}.attention.heads", COUNT, limit=MAX_WIDTH),
    Setting("d_inner", "feed_forward", f"{_LAYER}.feed_forward.hidden", COUNT, limit=MAX_WIDTH),
    Setting("ff_activation", "activation", f"{_LAYER}.feed_forward.activation", ACTIVATION, "gelu"),
    Setting("layer_norm_eps", "norm_epsilon", f"{_LAYER}.norm_epsilon", NUMBER, 1e-12),
    Setting("dropout", "dropout", f"{_LAYER}.dropout", PROBABILITY, 0.1),
    Setting("initializer_range", "initial_deviation", "initial_deviation", NUMBER, 0.02),
)


def _keys(settings: Json) -> KeyRules:
    heads = settings.get("n_head", 1)
    theirs, ours = "transformer.layer.{}.rel_attn", "encoder.layers.{}.attention"
    return KeyRules(
        body="transformer.",
        rules=(
            Rename("transformer.word_embedding", "embedding.token_table"),
            Reshape("transformer.mask_emb", "query_start", (1, 1, -1), (-1,)),
            *(
                HeadsApart(f"{theirs}.{one}", f"{ours}.{two}_projection.weight", heads, into=into)
                for one, two, into in (
                    ("q", "query", True),
                    ("k", "key", True),
                    ("v", "value", True),
                    ("r", "score.distance", True),
                    ("o", "output", False),
                )
            ),
            Rename(f"{theirs}.r_w_bias", f"{ours}.score.content_bias"),
            Rename(f"{theirs}.r_r_bias", f"{ours}.score.position_bias"),
            Rename(f"{theirs}.r_s_bias", f"{ours}.score.segment_bias"),
            Rename(f"{theirs}.seg_embed", f"{ours}.score.segment_table"),
            Rename(f"{theirs}.layer_norm", "encoder.layers.{}.attention_norm"),
            *(
                Rename(f"transformer.layer.{{}}.ff.{one}", f"encoder.layers.{{}}.{two}")
                for one, two in (
                    ("layer_1", "feed_forward.inner_projection"),
                    ("layer_2", "feed_forward.output_projection"),
                    ("layer_norm", "feed_forward_norm"),
                )
            ),
            Alias("lm_loss.weight", "transformer.word_embedding.weight"),
            Rename("lm_loss.bias", "language.bias"),
        ),
    )


XLNET = Family(
    system="xlnet",
    model_type="xlnet",
    table=ConfigTable(
        build=xlnet_config,
        settings=_SETTINGS,
        constants={
            "attn_type": "bi",
            "bi_data": False,
            "clamp_len": -1,
            "same_length": False,
            "tie_word_embeddings": True,
            "untie_r": True,
        },
        multiples=(("d_model", "n_head"),),
        architectures={"XLNetLMHeadModel": (Head.LANGUAGE,), "XLNetModel": ()},
    ),
    keys=_keys,
)
