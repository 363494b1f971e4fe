"""GPT-NeoX and Pythia: a causal decoder whose sublayers read the same, with rotary positions.

Sources: Black et al. 2022, "GPT-NeoX-20B: An Open-Source Autoregressive Language Model", section
2.1 (parallel sublayers, a quarter of each head turned); Biderman et al. 2023, "Pythia: A Suite for
Analyzing Large Language Models Across Training and Scaling", section 2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.config import (
    Activation,
    AttentionConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    Head,
    LayerConfig,
    ModelConfig,
    NormPlacement,
    Positions,
    StackConfig,
)
from core.errors import ConfigError
from core.hugging_face.family import Family
from core.hugging_face.keys import Alias, Drop, KeyRules, Rename, Rule, SplitInHeads
from core.hugging_face.limits import MAX_LAYERS, MAX_POSITIONS, MAX_VOCABULARY, MAX_WIDTH
from core.hugging_face.rotary import ROTARY_SETTINGS, read_rotary
from core.hugging_face.settings import (
    ACTIVATION,
    COUNT,
    FLAG,
    NUMBER,
    PROBABILITY,
    ConfigTable,
    Json,
    Setting,
    ValueType,
)
from core.models.decoder import DecoderBody
from core.models.system import System
from core.rotary_config import RotaryConfig, RotaryScaling


def gpt_neox_config(
    *,
    vocabulary: int,
    layers: int = 6,
    heads: int = 8,
    width: int = 512,
    feed_forward: int = 2048,
    max_positions: int = 2048,
    turned: float = 0.25,
    theta: float = 10_000.0,
    scaling: RotaryScaling | None = None,
    parallel: bool = True,
    activation: Activation = Activation.GELU,
    bias: bool = True,
    tied: bool = False,
    norm_epsilon: float = 1e-5,
    dropout: float = 0.0,
    attention_dropout: float = 0.0,
    initial_deviation: float = 0.02,
    predicts: tuple[Head, ...] = (Head.LANGUAGE,),
    pooler: bool = False,
) -> ModelConfig:
    """A GPT-NeoX of the given size; the defaults are Pythia's of 70 M (2023, table 1).

    Args:
        turned: part of a head's features that knows positions, the first ones.
        theta: base of the wavelengths of rotary positions.
        scaling: how these are stretched.
        parallel: whether both sublayers read what enters the layer.
        bias: whether the projections of the attention have one.
        tied: whether words are scored with the token table.

    Raises:
        ConfigError: the heads cannot share the width evenly, a pooler is asked for, or a size is
            out of range.
    """
    if pooler:
        raise ConfigError("GPT-NeoX has no pooler")
    attention = AttentionConfig.of_width(width, heads, dropout=attention_dropout)
    features = int(attention.head_size * turned)
    rotary = RotaryConfig(theta, max_positions, scaling, features)
    return ModelConfig(
        system="gpt-neox",
        embedding=EmbeddingConfig(
            vocabulary,
            width,
            rotary.longest,
            segments=0,
            dropout=dropout,
            positions=Positions.NONE,
            norm=False,
        ),
        decoder=StackConfig.of_depth(
            LayerConfig(
                width=width,
                attention=replace(attention, bias=bias),
                feed_forward=FeedForwardConfig(feed_forward, activation),
                placement=NormPlacement.PRE,
                norm_epsilon=norm_epsilon,
                dropout=dropout,
                parallel=parallel,
            ),
            layers,
            rotary=rotary,
        ),
        heads=predicts,
        initial_deviation=initial_deviation,
        tied=tied,
    )


# Checkpoints of GPT-NeoX and Pythia, with the language head or without.

_LAYER = "decoder.layer"
_ATTENTION = f"{_LAYER}.attention"
_PARTIAL = "partial_rotary_factor"
_THETA, _SCALING, _PARAMETERS = ROTARY_SETTINGS


def _share(stack: StackConfig) -> float:
    size = stack.layer.attention.head_size
    return stack.rotary.turned(size) / size if stack.rotary else 0.0


_SHARE = Setting(
    "rotary_pct", "turned", "decoder", ValueType(NUMBER.wanted, NUMBER.read, _share), 0.25, 1
)


def _parameters(stack: StackConfig) -> Json:
    return {**_PARAMETERS.kind.write(stack.rotary), _PARTIAL: _share(stack)}


def _build(
    *,
    theta: float,
    turned: float,
    rope_scaling: Json | None,
    rope_parameters: Json | None,
    max_positions: int,
    **settings: Any,
) -> ModelConfig:
    """In the newest layout, what is turned stands with the base; both have names of their own."""
    given = rope_scaling or rope_parameters or {}
    turned = replace(_SHARE, theirs=_PARTIAL, default=turned).read(given)
    layouts = [
        one and {key: value for key, value in one.items() if key != _PARTIAL}
        for one in (rope_scaling, rope_parameters)
    ]
    rotary = read_rotary(
        theta=theta, rope_scaling=layouts[0], rope_parameters=layouts[1], positions=max_positions
    )
    return gpt_neox_config(
        theta=rotary.theta,
        scaling=rotary.scaling,
        turned=turned,
        max_positions=max_positions,
        **settings,
    )


_SETTINGS = (
    Setting("vocab_size", "vocabulary", "embedding.vocabulary", COUNT, limit=MAX_VOCABULARY),
    Setting("hidden_size", "width", "embedding.width", COUNT, limit=MAX_WIDTH),
    Setting(
        "intermediate_size", "feed_forward", f"{_LAYER}.feed_forward.hidden", COUNT, limit=MAX_WIDTH
    ),
    Setting("num_hidden_layers", "layers", "decoder.depth", COUNT, limit=MAX_LAYERS),
    Setting("num_attention_heads", "heads", f"{_ATTENTION}.heads", COUNT, limit=MAX_WIDTH),
    Setting(
        "max_position_embeddings",
        "max_positions",
        "decoder.rotary.positions",
        COUNT,
        2048,
        MAX_POSITIONS,
    ),
    Setting("hidden_act", "activation", f"{_LAYER}.feed_forward.activation", ACTIVATION, "gelu"),
    Setting("use_parallel_residual", "parallel", f"{_LAYER}.parallel", FLAG, True),
    Setting("attention_bias", "bias", f"{_ATTENTION}.bias", FLAG, True),
    Setting("layer_norm_eps", "norm_epsilon", f"{_LAYER}.norm_epsilon", NUMBER, 1e-5),
    Setting("hidden_dropout", "dropout", f"{_LAYER}.dropout", PROBABILITY, 0.0),
    Setting("attention_dropout", "attention_dropout", f"{_ATTENTION}.dropout", PROBABILITY, 0.0),
    Setting("initializer_range", "initial_deviation", "initial_deviation", NUMBER, 0.02),
    Setting("tie_word_embeddings", "tied", "tied", FLAG, False),
    replace(_THETA, theirs="rotary_emb_base"),
    _SHARE,
    _SCALING,
    replace(
        _PARAMETERS,
        path="decoder",
        kind=ValueType(_PARAMETERS.kind.wanted, _PARAMETERS.kind.read, _parameters),
    ),
)


# What transformers calls it since version 5, though its files keep the name.
_HEADS_OTHER_NAME = (("lm_head.weight", "embed_out.weight"),)


def _keys(settings: Json) -> KeyRules:
    theirs, ours = "gpt_neox.layers.{}", "decoder.layers.{}"
    heads = settings.get("num_attention_heads")
    fused = tuple(f"{ours}.attention.{name}_projection" for name in ("query", "key", "value"))
    head: list[Rule] = [Rename("embed_out", "language.own")]
    if settings.get("tie_word_embeddings", False):
        head.insert(0, Alias("embed_out.weight", "gpt_neox.embed_in.weight"))
    return KeyRules(
        "gpt_neox.",
        (
            Rename("gpt_neox.embed_in", "embedding.token_table"),
            Rename(f"{theirs}.input_layernorm", f"{ours}.attention_norm"),
            Rename(f"{theirs}.post_attention_layernorm", f"{ours}.feed_forward_norm"),
            # Computed; old files keep the causal mask and the frequencies.
            Drop(f"{theirs}.attention.bias"),
            Drop(f"{theirs}.attention.masked_bias"),
            Drop(f"{theirs}.attention.rotary_emb.inv_freq"),
            SplitInHeads(
                f"{theirs}.attention.query_key_value",
                fused,
                heads if type(heads) is int and heads > 0 else 1,
            ),
            Rename(f"{theirs}.attention.dense", f"{ours}.attention.output_projection"),
            Rename(f"{theirs}.mlp.dense_h_to_4h", f"{ours}.feed_forward.inner_projection"),
            Rename(f"{theirs}.mlp.dense_4h_to_h", f"{ours}.feed_forward.output_projection"),
            Rename("gpt_neox.final_layer_norm", "decoder.final_norm"),
            *head,
        ),
        old_endings=_HEADS_OTHER_NAME,
    )


GPT_NEOX = Family(
    system="gpt-neox",
    model_type="gpt_neox",
    table=ConfigTable(
        build=_build,
        settings=_SETTINGS,
        constants={},
        multiples=(("hidden_size", "num_attention_heads"),),
        architectures={"GPTNeoXForCausalLM": (Head.LANGUAGE,), "GPTNeoXModel": ()},
    ),
    keys=_keys,
)

SYSTEMS = (
    System(
        "GPT-NeoX",
        2022,
        "Black et al. 2022, “GPT-NeoX-20B: An Open-Source Autoregressive Language Model”",
        DecoderBody,
        GPT_NEOX,
    ),
)
