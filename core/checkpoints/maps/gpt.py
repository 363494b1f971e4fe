"""Checkpoints of GPT-2 and GPT-1, with the language head or without."""

from functools import partial

from core.checkpoints.family import Family
from core.checkpoints.hf_config import (
    ACTIVATION,
    COUNT,
    FIRST_GPTS_ACTIVATION,
    NUMBER,
    OPTIONAL_COUNT,
    PROBABILITY,
    ConfigTable,
    Setting,
)
from core.checkpoints.key_rules import Alias, Drop, KeyRules, Rename, Rule, Split, Transpose
from core.checkpoints.sizes import MAX_LAYERS, MAX_POSITIONS, MAX_VOCABULARY, MAX_WIDTH
from core.config import Head, NormPlacement
from core.models.architectures.gpt import gpt_config

_LAYER = "decoder.layer"

_SHARED_SETTINGS = (
    Setting("vocab_size", "vocabulary", "embedding.vocabulary", COUNT, limit=MAX_VOCABULARY),
    Setting("n_embd", "width", "embedding.width", COUNT, limit=MAX_WIDTH),
    Setting("n_layer", "layers", "decoder.depth", COUNT, limit=MAX_LAYERS),
    Setting("n_head", "heads", f"{_LAYER}.attention.heads", COUNT, limit=MAX_WIDTH),
    Setting("n_positions", "max_positions", "embedding.max_positions", COUNT, limit=MAX_POSITIONS),
    Setting("layer_norm_epsilon", "norm_epsilon", f"{_LAYER}.norm_epsilon", NUMBER, 1e-5),
    Setting("embd_pdrop", "embedding_dropout", "embedding.dropout", PROBABILITY, 0.1),
    Setting("resid_pdrop", "dropout", f"{_LAYER}.dropout", PROBABILITY, 0.1),
    Setting("attn_pdrop", "attention_dropout", f"{_LAYER}.attention.dropout", PROBABILITY, 0.1),
    Setting("initializer_range", "initial_deviation", "initial_deviation", NUMBER, 0.02),
)


def _rules(tokens: str, positions: str) -> tuple[Rule, ...]:
    theirs, ours = "transformer.h.{}", "decoder.layers.{}"
    fused = tuple(f"{ours}.attention.{name}_projection" for name in ("query", "key", "value"))
    return (
        Rename(f"transformer.{tokens}", "embedding.token_table"),
        Rename(f"transformer.{positions}", "embedding.position_table.table"),
        Drop("transformer.position_ids"),
        Drop(f"{theirs}.attn.bias"),  # old files keep the causal mask
        Drop(f"{theirs}.attn.masked_bias"),
        Split(f"{theirs}.attn.c_attn", fused),
        Transpose(f"{theirs}.attn.c_proj", f"{ours}.attention.output_projection"),
        Rename(f"{theirs}.ln_1", f"{ours}.attention_norm"),
        Transpose(f"{theirs}.mlp.c_fc", f"{ours}.feed_forward.inner_projection"),
        Transpose(f"{theirs}.mlp.c_proj", f"{ours}.feed_forward.output_projection"),
        Rename(f"{theirs}.ln_2", f"{ours}.feed_forward_norm"),
        Rename("transformer.ln_f", "decoder.final_norm"),
        Alias("lm_head.weight", f"transformer.{tokens}.weight"),
    )


GPT2 = Family(
    system="gpt",
    model_type="gpt2",
    table=ConfigTable(
        build=gpt_config,
        settings=(
            *_SHARED_SETTINGS,
            Setting(
                "n_inner",
                "feed_forward",
                f"{_LAYER}.feed_forward.hidden",
                OPTIONAL_COUNT,
                None,
                MAX_WIDTH,
            ),
            Setting(
                "activation_function",
                "activation",
                f"{_LAYER}.feed_forward.activation",
                ACTIVATION,
                "gelu_new",
            ),
        ),
        constants={
            "scale_attn_weights": True,
            "scale_attn_by_inverse_layer_idx": False,
            "reorder_and_upcast_attn": False,
            "add_cross_attention": False,
            "tie_word_embeddings": True,
        },
        multiples=(("n_embd", "n_head"),),
        architectures={"GPT2LMHeadModel": (Head.LANGUAGE,), "GPT2Model": ()},
    ),
    keys=lambda _settings: KeyRules("transformer.", _rules("wte", "wpe")),
)

GPT1 = Family(
    system="gpt1",
    model_type="openai-gpt",
    table=ConfigTable(
        build=partial(gpt_config, placement=NormPlacement.POST),
        settings=(
            *_SHARED_SETTINGS,
            Setting(
                "afn",
                "activation",
                f"{_LAYER}.feed_forward.activation",
                FIRST_GPTS_ACTIVATION,
                "gelu",
            ),
        ),
        constants={"tie_word_embeddings": True},
        multiples=(("n_embd", "n_head"),),
        architectures={"OpenAIGPTLMHeadModel": (Head.LANGUAGE,), "OpenAIGPTModel": ()},
    ),
    keys=lambda _settings: KeyRules("transformer.", _rules("tokens_embed", "positions_embed")),
)
