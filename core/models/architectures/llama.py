"""Llama and its relatives: a causal decoder with RMS norms, rotary positions and gates.

Sources: Touvron et al. 2023, "LLaMA: Open and Efficient Foundation Language Models", section 2.2;
Touvron et al. 2023, "Llama 2", section 2.2 (grouped queries); Jiang et al. 2023, "Mistral 7B",
section 2 (a sliding window); Yang et al. 2024, "Qwen2 Technical Report", section 2.2.1 (biases of
queries, keys and values); Yang et al. 2025, "Qwen3 Technical Report", section 2 (norms of queries
and keys instead).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from core.config import (
    Activation,
    AttentionConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    Head,
    LayerConfig,
    ModelConfig,
    NormKind,
    NormPlacement,
    Positions,
    StackConfig,
)
from core.errors import ConfigError
from core.hugging_face.family import Family
from core.hugging_face.keys import Alias, Drop, KeyRules, Rename, Rule
from core.hugging_face.limits import MAX_LAYERS, MAX_POSITIONS, MAX_VOCABULARY, MAX_WIDTH
from core.hugging_face.rotary import ROTARY_SETTINGS, read_rotary
from core.hugging_face.settings import (
    ACTIVATION,
    COUNT,
    FLAG,
    NUMBER,
    OPTIONAL_COUNT,
    PROBABILITY,
    ConfigTable,
    Json,
    Setting,
    ValueType,
)
from core.models.architectures.gpt import next_words
from core.models.decoder import DecoderBody
from core.models.recipe import NEXT_WORDS, Recipe, like_bert
from core.models.system import System
from core.rotary_config import RotaryConfig, RotaryScaling


def llama_config(
    *,
    vocabulary: int,
    layers: int = 32,
    heads: int = 32,
    key_value_heads: int | None = None,
    head_size: int | None = None,
    width: int = 4096,
    feed_forward: int = 11_008,
    max_positions: int = 2048,
    theta: float = 10_000.0,
    scaling: RotaryScaling | None = None,
    window: int | None = None,
    activation: Activation = Activation.SILU,
    bias: bool = False,
    output_bias: bool | None = None,
    feed_forward_bias: bool = False,
    head_norms: bool = False,
    tied: bool = False,
    norm_epsilon: float = 1e-6,
    attention_dropout: float = 0.0,
    initial_deviation: float = 0.02,
    predicts: tuple[Head, ...] = (Head.LANGUAGE,),
    pooler: bool = False,
    system: str = "llama",
) -> ModelConfig:
    """A Llama of the given size; the defaults are the first one's of 7 B (2023, table 2).

    Args:
        key_value_heads: heads of keys and values, each for a group of heads of queries; ``None``
            for as many.
        head_size: features of a head; ``None`` for the width shared evenly.
        max_positions: of the longest text; with dynamic scaling, of those of the training.
        theta: base of the wavelengths of rotary positions.
        scaling: how these are stretched.
        window: keys that a query sees, its own included (Mistral).
        bias: whether the projections of queries, keys and values have one (Qwen 2).
        output_bias: whether the output projection has one; ``None`` for the same as ``bias``.
        head_norms: whether queries and keys are normalised before they are turned (Qwen 3).
        tied: whether words are scored with the token table.

    Raises:
        ConfigError: the heads cannot share the width or the keys evenly, a pooler is asked for, or
            a size is out of range.
    """
    if pooler:
        raise ConfigError("Llama has no pooler")
    if head_size is None:
        head_size = AttentionConfig.of_width(width, heads).head_size
    rotary = RotaryConfig(theta, max_positions, scaling)
    return ModelConfig(
        system=system,
        embedding=EmbeddingConfig(
            vocabulary,
            width,
            rotary.longest,
            segments=0,
            dropout=0.0,
            positions=Positions.NONE,
            norm=False,
        ),
        decoder=StackConfig.of_depth(
            LayerConfig(
                width=width,
                attention=AttentionConfig(
                    heads,
                    head_size,
                    bias=bias,
                    dropout=attention_dropout,
                    output_bias=output_bias,
                    key_value_heads=key_value_heads,
                    head_norm_epsilon=norm_epsilon if head_norms else None,
                ),
                feed_forward=FeedForwardConfig(
                    feed_forward, activation, bias=feed_forward_bias, gated=True
                ),
                placement=NormPlacement.PRE,
                norm=NormKind.RMS,
                norm_epsilon=norm_epsilon,
                dropout=0.0,
            ),
            layers,
            rotary=rotary,
            window=window,
        ),
        heads=predicts,
        initial_deviation=initial_deviation,
        tied=tied,
    )


# Checkpoints of Llama, Mistral, Qwen 2 and Qwen 3, with the language head or without.

_LAYER = "decoder.layer"
_ATTENTION = f"{_LAYER}.attention"


def _full_attention(value: Any) -> None:
    if value is not None and (
        not isinstance(value, list) or {*map(str, value)} != {"full_attention"}
    ):
        raise ValueError


def _build(
    *,
    theta: float,
    rope_scaling: Json | None,
    rope_parameters: Json | None,
    max_positions: int,
    layer_types: None = None,  # noqa: ARG001 - all layers are of one type
    **settings: Any,
) -> ModelConfig:
    rotary = read_rotary(
        theta=theta,
        rope_scaling=rope_scaling,
        rope_parameters=rope_parameters,
        positions=max_positions,
    )
    return llama_config(
        theta=rotary.theta, scaling=rotary.scaling, max_positions=max_positions, **settings
    )


def _settings(positions: int, key_value_heads: int | None = None) -> tuple[Setting, ...]:
    """What all of them have, with a family's own defaults."""
    return (
        Setting("vocab_size", "vocabulary", "embedding.vocabulary", COUNT, limit=MAX_VOCABULARY),
        Setting("hidden_size", "width", "embedding.width", COUNT, limit=MAX_WIDTH),
        Setting(
            "intermediate_size",
            "feed_forward",
            f"{_LAYER}.feed_forward.hidden",
            COUNT,
            limit=MAX_WIDTH,
        ),
        Setting("num_hidden_layers", "layers", "decoder.depth", COUNT, limit=MAX_LAYERS),
        Setting("num_attention_heads", "heads", f"{_ATTENTION}.heads", COUNT, limit=MAX_WIDTH),
        Setting(
            "num_key_value_heads",
            "key_value_heads",
            f"{_ATTENTION}.key_value_heads",
            OPTIONAL_COUNT,
            key_value_heads,
            MAX_WIDTH,
        ),
        Setting(
            "max_position_embeddings",
            "max_positions",
            "decoder.rotary.positions",
            COUNT,
            positions,
            MAX_POSITIONS,
        ),
        Setting(
            "hidden_act", "activation", f"{_LAYER}.feed_forward.activation", ACTIVATION, "silu"
        ),
        Setting("rms_norm_eps", "norm_epsilon", f"{_LAYER}.norm_epsilon", NUMBER, 1e-6),
        Setting(
            "attention_dropout", "attention_dropout", f"{_ATTENTION}.dropout", PROBABILITY, 0.0
        ),
        Setting("initializer_range", "initial_deviation", "initial_deviation", NUMBER, 0.02),
        Setting("tie_word_embeddings", "tied", "tied", FLAG, False),
        *ROTARY_SETTINGS,
    )


def _head_size(default: int | None) -> Setting:
    path = f"{_ATTENTION}.head_size"
    return Setting("head_dim", "head_size", path, OPTIONAL_COUNT, default, MAX_WIDTH)


_BIAS = Setting("attention_bias", "bias", f"{_ATTENTION}.bias", FLAG, False)
_ALL_LAYERS_SEE_ALL = Setting(
    "layer_types",
    "layer_types",
    "decoder.depth",
    ValueType(
        "full_attention for every layer", _full_attention, lambda depth: ["full_attention"] * depth
    ),
    None,
)


def _keys(settings: Json) -> KeyRules:
    theirs, ours = "model.layers.{}", "decoder.layers.{}"
    head: list[Rule] = [Rename("lm_head", "language.own")]
    if settings.get("tie_word_embeddings", False):
        head.insert(0, Alias("lm_head.weight", "model.embed_tokens.weight"))
    return KeyRules(
        "model.",
        (
            Rename("model.embed_tokens", "embedding.token_table"),
            Drop(f"{theirs}.self_attn.rotary_emb.inv_freq"),  # computed; old files keep it
            *(
                Rename(f"{theirs}.self_attn.{name[0]}_proj", f"{ours}.attention.{name}_projection")
                for name in ("query", "key", "value", "output")
            ),
            *(
                Rename(f"{theirs}.self_attn.{name[0]}_norm", f"{ours}.attention.{name}_norm")
                for name in ("query", "key")
            ),
            Rename(f"{theirs}.input_layernorm", f"{ours}.attention_norm"),
            Rename(f"{theirs}.post_attention_layernorm", f"{ours}.feed_forward_norm"),
            # What is activated is their gate, what it multiplies our gate.
            Rename(f"{theirs}.mlp.gate_proj", f"{ours}.feed_forward.inner_projection"),
            Rename(f"{theirs}.mlp.up_proj", f"{ours}.feed_forward.gate_projection"),
            Rename(f"{theirs}.mlp.down_proj", f"{ours}.feed_forward.output_projection"),
            Rename("model.norm", "decoder.final_norm"),
            *head,
        ),
    )


def _family(
    system: str,
    classes: str,
    settings: tuple[Setting, ...],
    constants: Json | None = None,
    **fixed: Any,
) -> Family:
    return Family(
        system=system,
        model_type=system,
        table=ConfigTable(
            build=partial(_build, system=system, **fixed),
            settings=settings,
            constants=constants or {},
            multiples=(),
            architectures={f"{classes}ForCausalLM": (Head.LANGUAGE,), f"{classes}Model": ()},
        ),
        keys=_keys,
    )


LLAMA = _family(
    "llama",
    "Llama",
    (
        *_settings(positions=2048),
        _head_size(None),
        _BIAS,
        Setting("mlp_bias", "feed_forward_bias", f"{_LAYER}.feed_forward.bias", FLAG, False),
    ),
)
MISTRAL = _family(
    "mistral",
    "Mistral",
    (
        *_settings(positions=131_072, key_value_heads=8),
        _head_size(None),
        Setting("sliding_window", "window", "decoder.window", OPTIONAL_COUNT, 4096, MAX_POSITIONS),
    ),
)
QWEN2 = _family(
    "qwen2",
    "Qwen2",
    (*_settings(positions=32_768, key_value_heads=32), _head_size(None), _ALL_LAYERS_SEE_ALL),
    {"use_sliding_window": False},
    bias=True,
    output_bias=False,
)
QWEN3 = _family(
    "qwen3",
    "Qwen3",
    (
        *_settings(positions=32_768, key_value_heads=32),
        _head_size(128),
        _BIAS,
        _ALL_LAYERS_SEE_ALL,
    ),
    {"use_sliding_window": False},
    head_norms=True,
)

SYSTEMS = (
    System(
        "Llama",
        2023,
        "Touvron et al. 2023, “LLaMA: Open and Efficient Foundation Language Models”",
        DecoderBody,
        LLAMA,
        (Recipe("clm", like_bert(llama_config), next_words, variant="llama", needs=NEXT_WORDS),),
    ),
    System("Mistral", 2023, "Jiang et al. 2023, “Mistral 7B”", DecoderBody, MISTRAL),
    System("Qwen 2", 2024, "Yang et al. 2024, “Qwen2 Technical Report”", DecoderBody, QWEN2),
    System("Qwen 3", 2025, "Yang et al. 2025, “Qwen3 Technical Report”", DecoderBody, QWEN3),
)
