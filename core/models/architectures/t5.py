"""T5: text to text, with relative distances instead of positions and RMS norms without bias.

Sources: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
Transformer", section 2.1; Shazeer 2020, "GLU Variants Improve Transformer" (version 1.1: gated
feed-forward, an output matrix of its own).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import torch

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
    RelativeBiasConfig,
    StackConfig,
)
from core.errors import ConfigError
from core.hugging_face.family import Family
from core.hugging_face.keys import Alias, KeyRules, Rename, Rule
from core.hugging_face.limits import MAX_LAYERS, MAX_POSITIONS, MAX_VOCABULARY, MAX_WIDTH
from core.hugging_face.settings import (
    COUNT,
    FLAG,
    NUMBER,
    NUMBER_FROM_0,
    OPTIONAL_COUNT,
    PROBABILITY,
    ConfigTable,
    Json,
    Setting,
    ValueType,
)
from core.models.encoder_decoder import EncoderDecoder
from core.models.recipe import NEXT_WORDS, Recipe, Sizes, start_of
from core.models.system import System
from core.tokenisation import Tokenizer
from core.tokenisation.blanks import sentinel_ids

if TYPE_CHECKING:
    from core.objectives.layouts import Layout
    from core.objectives.objective import SummedObjective
    from core.objectives.sized_blanks import BlankRule, SizedBlanks
    from core.objectives.span_corruption import SpanCorruption
    from core.training.material import Material


def t5_config(
    *,
    vocabulary: int,
    layers: int = 6,
    decoder_layers: int | None = None,
    heads: int = 8,
    head_size: int = 64,
    width: int = 512,
    feed_forward: int = 2048,
    max_positions: int = 512,
    buckets: int = 32,
    max_distance: int = 128,
    activation: Activation = Activation.RELU,
    gated: bool = False,
    tied: bool = True,
    norm_epsilon: float = 1e-6,
    dropout: float = 0.1,
    start_id: int = 0,
    initial_factor: float = 1.0,
    predicts: tuple[Head, ...] = (Head.LANGUAGE,),
    pooler: bool = False,
) -> ModelConfig:
    """A T5 of the given size; the defaults are T5-small, for version 1.1 see ``gated``, ``tied``.

    Args:
        decoder_layers: ``None`` for as many as the encoder has.
        head_size: independent of the width: all heads together may be wider or narrower.
        max_positions: longest text that is read. Distances need no table of positions, but longer
            texts than those of the training are read badly.
        gated: version 1.1 multiplies the activated features by a second projection.
        tied: the original scores words with the token table, version 1.1 with a matrix of its own.
        start_id: what the decoder reads first, the padding.
        initial_factor: on the standard deviations of the first weights.

    Raises:
        ConfigError: a pooler is asked for, or a size is out of range.
    """
    if pooler:
        raise ConfigError("T5 has no pooler")

    def stack(depth: int, cross_attention: bool) -> StackConfig:
        return StackConfig.of_depth(
            LayerConfig(
                width=width,
                # The initialisation keeps the scores small instead of a scale: see core.models.
                attention=AttentionConfig(heads, head_size, scale=1.0, bias=False, dropout=dropout),
                feed_forward=FeedForwardConfig(
                    feed_forward, activation, bias=False, gated=gated, dropout=dropout
                ),
                placement=NormPlacement.PRE,
                norm=NormKind.RMS,
                norm_epsilon=norm_epsilon,
                dropout=dropout,
                cross_attention=cross_attention,
            ),
            depth,
            relative_bias=RelativeBiasConfig(buckets, max_distance),
        )

    return ModelConfig(
        system="t5",
        embedding=EmbeddingConfig(
            vocabulary,
            width,
            max_positions,
            segments=0,
            dropout=dropout,
            positions=Positions.NONE,
            norm=False,
        ),
        encoder=stack(layers, cross_attention=False),
        decoder=stack(layers if decoder_layers is None else decoder_layers, cross_attention=True),
        heads=predicts,
        initial_deviation=initial_factor,
        fan_in=True,
        tied=tied,
        # A tied table is not drawn small enough to be an output matrix too.
        word_scale=width**-0.5 if tied else 1.0,
        start_id=start_id,
    )


# Checkpoints of T5: the original, and version 1.1.

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


_KINDS = ValueType(f"one of {', '.join(_FEED_FORWARDS)}", _feed_forward, _name_of)
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
    for index, (theirs, ours) in enumerate(parts):
        layer = f"{side}.block.{{}}.layer.{index}"
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


def _fresh(tokenizer: Tokenizer, sizes: Sizes) -> ModelConfig:
    """A T5 whose heads share its width."""
    return t5_config(
        vocabulary=tokenizer.vocabulary_size,
        head_size=sizes.width // sizes.heads,
        start_id=tokenizer.pad_id,
        **cast(Any, sizes.named()),
    )


def _span_corruption(material: Material) -> SpanCorruption:
    from core.objectives.pieces import end_id
    from core.objectives.span_corruption import SpanCorruption
    from core.objectives.texts import TextSampler

    tokenizer = material.tokenizer
    return SpanCorruption(
        TextSampler(material.corpus, material.generator, longest=material.length),
        torch.tensor(sentinel_ids(tokenizer), device=material.generator.device),
        tokens=material.tokens,
        length=material.length,
        start_id=start_of(material.config),
        end_id=end_id(tokenizer),
        padding_id=tokenizer.pad_id,
    )


def _blanks(material: Material) -> SummedObjective[Any, Any]:
    """Our own T5's: the paper's objective, and blanks of the kind that readers leave."""
    from core.objectives.objective_schedule import ObjectiveSchedule
    from core.objectives.pieces import closing_punctuation, continuations, end_id, size_ids
    from core.objectives.sized_blanks import (
        BLANK_LAYOUTS,
        FREE_BLANKS,
        FREE_LAYOUTS,
        LONG_BLANKS,
        LONG_LAYOUTS,
        BlankRule,
        SizedBlanks,
    )
    from core.objectives.texts import TextSampler

    tokenizer, device = material.tokenizer, material.generator.device
    corruption = _span_corruption(material)

    def blanks(rule: BlankRule, layouts: tuple[Layout, ...], *, sized: bool = True) -> SizedBlanks:
        return SizedBlanks(
            TextSampler(material.corpus, material.generator, longest=material.length),
            continuations(tokenizer).to(device),
            closing_punctuation(tokenizer).to(device),
            torch.tensor(sentinel_ids(tokenizer), device=device),
            size_ids(tokenizer, rule.longest).to(device) if sized else None,
            tokens=material.tokens,
            layouts=tuple(replace(one, length=min(one.length, material.length)) for one in layouts),
            rule=rule,
            start_id=start_of(material.config),
            end_id=end_id(tokenizer),
            padding_id=tokenizer.pad_id,
        )

    exact = blanks(BlankRule(), BLANK_LAYOUTS)
    free = blanks(FREE_BLANKS, FREE_LAYOUTS, sized=False)
    long = blanks(LONG_BLANKS, LONG_LAYOUTS)
    return ObjectiveSchedule(
        corruption, exact, corruption, free, corruption, exact, corruption, long
    )


SYSTEMS = (
    System(
        "T5",
        2020,
        "Raffel et al. 2020, “Exploring the Limits of Transfer Learning”",
        EncoderDecoder,
        T5,
        (
            Recipe("span-corruption", _fresh, _span_corruption, needs=NEXT_WORDS),
            Recipe("blanks", _fresh, _blanks, needs=NEXT_WORDS),
        ),
    ),
)
