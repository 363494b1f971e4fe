"""The original Transformer: post-norm on both sides, waves for positions, scaled embeddings.

Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from core.config import (
    Activation,
    AttentionConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    Head,
    LayerConfig,
    ModelConfig,
    Positions,
    StackConfig,
)
from core.errors import ConfigError
from core.hugging_face.family import Family
from core.hugging_face.keys import Alias, Drop, KeyRules, Rename, Reshape, Rule
from core.hugging_face.limits import MAX_LAYERS, MAX_POSITIONS, MAX_VOCABULARY, MAX_WIDTH
from core.hugging_face.settings import (
    ACTIVATION,
    COUNT,
    FLAG,
    NUMBER,
    NUMBER_FROM_0,
    PROBABILITY,
    ConfigTable,
    Setting,
    ValueType,
)
from core.models.encoder_decoder import EncoderDecoder
from core.models.recipe import NEXT_WORDS, Recipe, Sizes, start_of
from core.models.system import System
from core.tokenisation import Tokenizer

if TYPE_CHECKING:
    from core.objectives.objective import SummedObjective
    from core.training.material import Material


def transformer_config(
    *,
    vocabulary: int,
    layers: int = 6,
    decoder_layers: int | None = None,
    heads: int = 8,
    width: int = 512,
    feed_forward: int = 2048,
    max_positions: int = 512,
    positions: Positions = Positions.HALVES,
    scaled: bool = True,
    activation: Activation = Activation.RELU,
    norm_epsilon: float = 1e-5,
    dropout: float = 0.1,
    attention_dropout: float = 0.0,
    inner_dropout: float = 0.0,
    start_id: int = 0,
    padding_id: int = 0,
    initial_deviation: float = 0.02,
    predicts: tuple[Head, ...] = (Head.LANGUAGE,),
    pooler: bool = False,
) -> ModelConfig:
    """A Transformer of the given size; the defaults are the base model (table 3).

    Args:
        decoder_layers: ``None`` for as many as the encoder has.
        positions: the paper has sine and cosine in turn (``INTERLEAVED``); Marian, whose file
            format the checkpoints have, puts all sines first (``HALVES``).
        scaled: whether token rows are multiplied by the root of the width (section 3.4).
        inner_dropout: between the projections of the feed-forward part.
        start_id: what the decoder reads first.
        padding_id: the token that fills up short texts.

    Raises:
        ConfigError: a pooler is asked for, the heads cannot share the width evenly, or a size is
            out of range.
    """
    if pooler:
        raise ConfigError("the Transformer has no pooler")

    def stack(depth: int, cross_attention: bool) -> StackConfig:
        return StackConfig.of_depth(
            LayerConfig(
                width=width,
                attention=AttentionConfig.of_width(width, heads, dropout=attention_dropout),
                feed_forward=FeedForwardConfig(feed_forward, activation, dropout=inner_dropout),
                norm_epsilon=norm_epsilon,
                dropout=dropout,
                cross_attention=cross_attention,
            ),
            depth,
        )

    return ModelConfig(
        system="transformer",
        embedding=EmbeddingConfig(
            vocabulary,
            width,
            max_positions,
            segments=0,
            dropout=dropout,
            positions=positions,
            padding_id=padding_id,
            norm=False,
            scale=math.sqrt(width) if scaled else 1.0,
        ),
        encoder=stack(layers, cross_attention=False),
        decoder=stack(layers if decoder_layers is None else decoder_layers, cross_attention=True),
        heads=predicts,
        initial_deviation=initial_deviation,
        word_bias=True,
        start_id=start_id,
    )


# Checkpoints of the original Transformer, in the form of Marian's.

_ENCODER, _DECODER = "encoder.layer", "decoder.layer"
_SCALED = ValueType("true or false", FLAG.read, lambda scale: scale != 1.0)

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


# Deviation of first weights times the root of the width: 0.03 for one of 256. With a half of it a
# model takes longer to begin; with the double it does not learn faster.
_SPREAD = 0.5


def _fresh(tokenizer: Tokenizer, sizes: Sizes) -> ModelConfig:
    """A Transformer that reads the padding first."""
    padding = tokenizer.pad_id
    return transformer_config(
        vocabulary=tokenizer.vocabulary_size,
        start_id=padding,
        padding_id=padding,
        initial_deviation=_SPREAD / math.sqrt(sizes.width),
        **cast(Any, sizes.named()),
    )


def translation(material: Material) -> SummedObjective[Any, Any]:
    """Pairs of texts, the second written after the first was read."""
    from core.objectives.translation import ParallelTexts, Translation

    assert isinstance(material.data, ParallelTexts)
    return Translation(
        material.data,
        material.generator,
        tokens=material.tokens,
        start_id=start_of(material.config),
        padding_id=material.tokenizer.pad_id,
    )


SYSTEMS = (
    System(
        "Transformer",
        2017,
        "Vaswani et al. 2017, “Attention Is All You Need”",
        EncoderDecoder,
        TRANSFORMER,
        (Recipe("translation", _fresh, translation, needs=NEXT_WORDS, pairs=True),),
    ),
)
