"""T5: text to text, with relative distances instead of positions and RMS norms without bias.

Sources: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
Transformer", section 2.1; Shazeer 2020, "GLU Variants Improve Transformer" (version 1.1: gated
feed-forward, an output matrix of its own); Xue et al. 2021, "mT5", section 3 (version 1.1 in many
languages); Chung et al. 2023, "UniMax", section 5 (umT5: a table of distances in every layer).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
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
from core.hugging_face.errors import SettingError, shown
from core.hugging_face.family import Family
from core.hugging_face.keys import Alias, Drop, KeyRules, Rename, Rule
from core.hugging_face.limits import MAX_LAYERS, MAX_POSITIONS, MAX_VOCABULARY, MAX_WIDTH
from core.hugging_face.settings import (
    ACTIVATION,
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
    optional,
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
    scaled: bool | None = None,
    bias_in_layers: bool = False,
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
        scaled: whether states are divided by the root of the width before they are scored; ``None``
            for as ``tied``, as in the published models.
        bias_in_layers: whether every layer has a table of distances of its own (umT5).
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
            relative_bias=RelativeBiasConfig(buckets, max_distance, bias_in_layers),
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
        word_scale=width**-0.5 if (tied if scaled is None else scaled) else 1.0,
        start_id=start_id,
    )


# Checkpoints of T5, the original and version 1.1, of mT5 and of umT5.


def _feed_forward(value: Any) -> tuple[Activation, bool]:
    """What "feed_forward_proj" says: the activation, and whether it is gated."""
    if value == "gated-gelu":
        return Activation.GELU_TANH, True  # so called since the first files
    if not isinstance(value, str):
        raise ValueError
    return ACTIVATION.read(value.removeprefix("gated-")), value.startswith("gated-")


def _name_of(part: FeedForwardConfig) -> str:
    if part.gated and part.activation is Activation.GELU_TANH:
        return "gated-gelu"
    exact = part.gated and part.activation is Activation.GELU
    name = "gelu_python" if exact else part.activation.value
    return f"gated-{name}" if part.gated else name


_KINDS = ValueType(f"{ACTIVATION.wanted}, or the same after gated-", _feed_forward, _name_of)
_ENCODER, _DECODER = "encoder.layer", "decoder.layer"
_BIAS = "encoder.relative_bias"
_SCALED = ValueType("true or false, or null", optional(FLAG).read, lambda scale: scale != 1.0)


def _build(
    kind: tuple[Activation, bool],
    *,
    activation: Activation | None,
    gated: bool | None,
    tie: bool | None,
    scaled: bool | None = None,
    **settings: Any,
) -> ModelConfig:
    """As transformers reads the files since version 5.

    There, words are scored with the token table unless the files have another matrix for it,
    whatever ``tie_word_embeddings`` says: that decides about the scale, if nothing else does.
    """
    return t5_config(
        activation=kind[0] if activation is None else activation,
        gated=kind[1] if gated is None else gated,
        scaled=tie is not False if scaled is None else scaled,
        **settings,
    )


def _build_mt5(*, scaled: bool | None, **settings: Any) -> ModelConfig:  # noqa: ARG001
    """Unscaled, whatever the file says."""
    return _build(scaled=False, **settings)


def _settings(feed_forward: str) -> tuple[Setting, ...]:
    """Those of T5's kind, with a family's default of the feed-forward part."""
    dense = f"{_ENCODER}.feed_forward"
    distance = "relative_attention_max_distance"
    return (
        Setting("vocab_size", "vocabulary", "embedding.vocabulary", COUNT, limit=MAX_VOCABULARY),
        Setting("d_model", "width", "embedding.width", COUNT, limit=MAX_WIDTH),
        Setting("d_kv", "head_size", f"{_ENCODER}.attention.head_size", COUNT, limit=MAX_WIDTH),
        Setting("d_ff", "feed_forward", f"{dense}.hidden", COUNT, limit=MAX_WIDTH),
        Setting("num_layers", "layers", "encoder.depth", COUNT, limit=MAX_LAYERS),
        Setting(
            "num_decoder_layers",
            "decoder_layers",
            "decoder.depth",
            OPTIONAL_COUNT,
            None,
            MAX_LAYERS,
        ),
        Setting("num_heads", "heads", f"{_ENCODER}.attention.heads", COUNT, limit=MAX_WIDTH),
        Setting(
            "relative_attention_num_buckets",
            "buckets",
            f"{_BIAS}.buckets",
            COUNT,
            32,
            MAX_POSITIONS,
        ),
        Setting(distance, "max_distance", f"{_BIAS}.max_distance", COUNT, 128, MAX_POSITIONS),
        Setting(
            "n_positions", "max_positions", "embedding.max_positions", COUNT, 512, MAX_POSITIONS
        ),
        Setting("dropout_rate", "dropout", "embedding.dropout", PROBABILITY, 0.1),
        Setting("layer_norm_epsilon", "norm_epsilon", f"{_ENCODER}.norm_epsilon", NUMBER, 1e-6),
        Setting("feed_forward_proj", "kind", dense, _KINDS, feed_forward),
        # Two that say the same once more; they count.
        Setting(
            "dense_act_fn", "activation", f"{dense}.activation", optional(ACTIVATION), default=None
        ),
        Setting("is_gated_act", "gated", f"{dense}.gated", optional(FLAG), default=None),
        Setting("tie_word_embeddings", "tie", "tied", optional(FLAG), default=None),
        Setting("scale_decoder_outputs", "scaled", "word_scale", _SCALED, default=None),
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


_CLASSES = ("T5", "MT5", "UMT5")
_OTHER_CLASSES = ("EncoderModel", "ForSequenceClassification", "ForTokenClassification")


def _keys(settings: Json, *, gated: bool = False, bias_in_layers: bool = False) -> KeyRules:
    """The names of the tensors.

    Args:
        settings: of ``config.json``.
        gated: what holds where they do not say.
        bias_in_layers: as in :func:`t5_config`.

    Raises:
        SettingError: the class that the file names has no decoder, or other names of tensors.
    """
    names = settings.get("architectures")
    for name in names if isinstance(names, list) else ():
        if str(name).endswith(_OTHER_CLASSES):
            problem = f"is {shown(name)}, but only models that read and write a text are supported"
            raise SettingError("architectures", problem)
    gated = str(settings.get("feed_forward_proj", "gated-" if gated else "")).startswith("gated-")
    said = settings.get("is_gated_act")
    gated = gated if said is None else said is True
    layer = "{}" if bias_in_layers else "0"
    tables = [
        Rename(
            f"{side}.block.{layer}.layer.0.SelfAttention.relative_attention_bias",
            f"{side}.{'layers.{}.' if bias_in_layers else ''}relative_bias.table",
        )
        for side in ("encoder", "decoder")
    ]
    return KeyRules(
        body="",
        rules=(
            Rename("shared", "embedding.token_table"),
            *tables,
            *_stack("encoder", gated),
            *_stack("decoder", gated),
            # Of the first files, and never read.
            Drop("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias"),
            Alias("lm_head.weight", "shared.weight"),
            Rename("lm_head", "language.own"),
        ),
    )


def _family(
    model_type: str,
    classes: str,
    build: Callable[..., ModelConfig] = _build,
    *,
    gated: bool = True,
    bias_in_layers: bool = False,
) -> Family:
    return Family(
        system="t5",
        model_type=model_type,
        table=ConfigTable(
            build=partial(build, bias_in_layers=bias_in_layers),
            settings=_settings("gated-gelu" if gated else "relu"),
            constants={"is_encoder_decoder": True, "pad_token_id": 0},
            multiples=(),
            # The classes open each other's files.
            architectures={
                f"{one}{kind}": heads
                for one in dict.fromkeys((classes, *_CLASSES))
                for kind, heads in (("ForConditionalGeneration", (Head.LANGUAGE,)), ("Model", ()))
            },
        ),
        keys=partial(_keys, gated=gated, bias_in_layers=bias_in_layers),
    )


T5 = _family("t5", "T5", gated=False)
MT5 = _family("mt5", "MT5", _build_mt5)
UMT5 = _family("umt5", "UMT5", bias_in_layers=True)


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
        relatives=(MT5, UMT5),
    ),
)
