"""What a model is made of: frozen, nested, validated descriptions.

A configuration that contradicts itself cannot be constructed; the error names both numbers.
Names are ours; the translation from and to Hugging Face's keys is in ``core.checkpoints``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from core.checks import require_positive, require_probability
from core.errors import ConfigError
from core.recurrent_config import RecurrentConfig
from core.rotary_config import DynamicScaling, RotaryConfig
from core.task_config import TaskConfig


class Activation(Enum):
    """The exact function: the GELUs differ by up to 5e-4.

    The members carry the strings that Hugging Face's configurations use for them.
    """

    GELU = "gelu"  # x * Phi(x), exact: BERT, RoBERTa, ELECTRA, XLNet, DistilBERT
    GELU_TANH = "gelu_new"  # tanh approximation: ALBERT, GPT-1, GPT-2, T5 1.1
    RELU = "relu"  # original Transformer, T5
    SILU = "silu"  # x * sigmoid(x): Llama
    GELU_10 = "gelu_10"  # the exact GELU, held between -10 and 10
    QUICK_GELU = "quick_gelu"  # x * sigmoid(1.702 x)
    MISH = "mish"  # x * tanh(log(1 + exp(x)))
    RELU_SQUARED = "relu2"
    RELU_6 = "relu6"  # held at 6
    LEAKY_RELU = "leaky_relu"  # 0.01 x below 0
    HARD_SWISH = "hardswish"  # x * (held between 0 and 1: x / 6 + 1 / 2)
    TANH = "tanh"
    SIGMOID = "sigmoid"
    LINEAR = "linear"  # none


class NormPlacement(Enum):
    """Where a layer normalises its residual stream."""

    POST = "post"  # after each residual sum: original Transformer, BERT family, XLNet, GPT-1
    PRE = "pre"  # before each sublayer, with a final norm after the stack: GPT-2, T5, Llama


class NormKind(Enum):
    """How a norm brings features to one scale."""

    LAYER = "layer"  # subtracts the mean, divides by the deviation
    RMS = "rms"  # divides by the root of the mean square, no bias: T5, Llama


class Positions(Enum):
    """Where an embedding gets its position terms from."""

    NONE = "none"  # T5, XLNet and Llama know positions in their attention only
    LEARNED = "learned"  # a row for each position: BERT, GPT
    AFTER_PADDING = "after_padding"  # learned, counted over real tokens: RoBERTa
    INTERLEAVED = "interleaved"  # sine and cosine in turn: Vaswani et al. 2017
    HALVES = "halves"  # all sines, then all cosines: Marian


class Sharing(Enum):
    """What all layers have in common besides whole modules named twice in a plan."""

    NOTHING = "nothing"
    ATTENTION = "attention"
    FEED_FORWARD = "feed_forward"


class Head(Enum):
    """What a model can predict on top of its body."""

    MASKED_LANGUAGE = "masked_language"
    NEXT_SENTENCE = "next_sentence"
    SENTENCE_ORDER = "sentence_order"
    REPLACED_TOKEN = "replaced_token"  # noqa: S105 - no password
    LANGUAGE = "language"
    SENTENCE_STRUCTURE = "sentence_structure"
    SPAN_BOUNDARY = "span_boundary"
    SEQUENCE_CLASSES = "sequence_classes"
    TOKEN_CLASSES = "token_classes"  # noqa: S105 - no password
    ANSWER_SPAN = "answer_span"


FINE_TUNED_HEADS = (Head.SEQUENCE_CLASSES, Head.TOKEN_CLASSES, Head.ANSWER_SPAN)
LABEL_HEADS = frozenset({Head.SEQUENCE_CLASSES, Head.TOKEN_CLASSES})  # whose columns have names
POOLED_HEADS = (Head.NEXT_SENTENCE, Head.SENTENCE_STRUCTURE)  # they read the pooler


@dataclass(frozen=True)
class EmbeddingConfig:
    """Token, position and segment tables, summed and normalised.

    Attributes:
        vocabulary: number of token rows.
        width: features of every table.
        max_positions: longest sequence, in tokens.
        segments: number of segment types; 0 for none.
        norm_epsilon: added to the variance of the norm after the sum.
        dropout: probability after the norm.
        positions: where position terms come from.
        padding_id: token that takes no position, where positions are counted after padding.
        norm: whether there is a norm after the sum.
        scale: factor on the token rows: the root of the width in the original Transformer.
        output_width: features after a projection that follows the norm (ALBERT, ELECTRA); ``None``
            for no projection.
    """

    vocabulary: int
    width: int
    max_positions: int
    segments: int
    norm_epsilon: float = 1e-12
    dropout: float = 0.1
    positions: Positions = Positions.LEARNED
    padding_id: int = 0
    norm: bool = True
    scale: float = 1.0
    output_width: int | None = None

    def __post_init__(self) -> None:
        require_positive(self, "vocabulary", "width", "max_positions")
        require_probability(self, "dropout")
        if self.segments < 0:
            raise ConfigError(f"EmbeddingConfig.segments must not be negative: {self.segments}")
        if not 0 <= self.padding_id < self.vocabulary:
            raise ConfigError(
                f"the padding id {self.padding_id} is not one of {self.vocabulary} tokens"
            )

    @property
    def layer_width(self) -> int:
        """Features that the first layer gets."""
        return self.width if self.output_width is None else self.output_width

    @property
    def position_rows(self) -> int:
        """Rows of the position table: some stand for padding where positions come after it."""
        padding = self.padding_id + 1 if self.positions is Positions.AFTER_PADDING else 0
        return self.max_positions + padding


@dataclass(frozen=True)
class AttentionConfig:
    """One multi-head attention.

    Attributes:
        heads: number of heads.
        head_size: features of a head's queries, keys and values. A field of its own: in T5 it is
            independent of the model width divided by the heads.
        scale: factor on query times key; ``None`` means ``head_size ** -0.5``, T5 uses 1.
        bias: whether the projections of queries, keys and values have one.
        dropout: probability on the weights, after the softmax.
        output_bias: whether the output projection has one; ``None`` for the same as ``bias``.
        key_value_heads: heads of the keys and values, each for a group of as many neighbouring
            heads of the queries (Ainslie et al. 2023, "GQA"); ``None`` for one for each.
        head_norm_epsilon: of RMS norms of every head's queries and keys (Qwen 3); ``None`` for no
            norms.
    """

    heads: int
    head_size: int
    scale: float | None = None
    bias: bool = True
    dropout: float = 0.1
    output_bias: bool | None = None
    key_value_heads: int | None = None
    head_norm_epsilon: float | None = None

    def __post_init__(self) -> None:
        require_positive(self, "heads", "head_size")
        require_probability(self, "dropout")
        if self.groups < 1 or self.heads % self.groups:
            raise ConfigError(
                f"{self.groups} heads of keys cannot serve {self.heads} heads of queries evenly"
            )

    @classmethod
    def of_width(cls, width: int, heads: int, *, dropout: float = 0.1) -> AttentionConfig:
        """Heads that share a model's width evenly.

        Raises:
            ConfigError: they cannot.
        """
        if heads < 1 or width % heads:
            raise ConfigError(f"a width of {width} cannot be shared evenly by {heads} heads")
        return cls(heads, width // heads, dropout=dropout)

    @property
    def groups(self) -> int:
        """Heads of the keys and values, resolved."""
        return self.heads if self.key_value_heads is None else self.key_value_heads

    @property
    def score_scale(self) -> float:
        """The factor on query times key, resolved."""
        return self.head_size**-0.5 if self.scale is None else self.scale


@dataclass(frozen=True)
class FeedForwardConfig:
    """The two projections around an activation.

    Attributes:
        hidden: features between the projections.
        activation: the exact function, see :class:`Activation`.
        bias: whether the projections have one.
        gated: whether a second inner projection multiplies the activated one (T5 1.1,
            Llama).
        dropout: probability between the projections.
    """

    hidden: int
    activation: Activation
    bias: bool = True
    gated: bool = False
    dropout: float = 0.0

    def __post_init__(self) -> None:
        require_positive(self, "hidden")
        require_probability(self, "dropout")


@dataclass(frozen=True)
class LayerConfig:
    """One transformer layer: self-attention, optionally cross-attention, feed-forward.

    Attributes:
        width: features of the residual stream.
        placement: where its norms stand.
        norm: of which kind they are.
        norm_epsilon: added to the variance in its norms.
        dropout: probability on each sublayer's output, before the residual sum.
        cross_attention: whether it also attends to another sequence.
        parallel: whether both sublayers read what enters the layer, so that neither sees what the
            other adds (GPT-NeoX). Their norms stand before them.
    """

    width: int
    attention: AttentionConfig
    feed_forward: FeedForwardConfig
    placement: NormPlacement = NormPlacement.POST
    norm: NormKind = NormKind.LAYER
    norm_epsilon: float = 1e-12
    dropout: float = 0.1
    cross_attention: bool = False
    parallel: bool = False

    def __post_init__(self) -> None:
        require_positive(self, "width")
        require_probability(self, "dropout")
        if self.parallel and (self.cross_attention or self.placement is NormPlacement.POST):
            raise ConfigError("parallel sublayers are two, and have their norms before them")


@dataclass(frozen=True)
class RelativeBiasConfig:
    """A learned number for every head and bucket of distances, added to the scores (T5).

    Attributes:
        buckets: how many; half of them for keys ahead where attention is bidirectional.
        max_distance: from where on all distances share the last bucket.
        in_layers: whether every layer has numbers of its own (umT5), not the stack (T5).
    """

    buckets: int = 32
    max_distance: int = 128
    in_layers: bool = False

    def __post_init__(self) -> None:
        if self.buckets < 4 or self.max_distance <= self.buckets // 2:
            raise ConfigError(
                f"{self.buckets} buckets up to a distance of {self.max_distance}: there are at"
                " least 4, and the distance is larger than half of their number"
            )


@dataclass(frozen=True)
class StackConfig:
    """A sequence of layers.

    Attributes:
        layer: what every layer looks like.
        plan: for each layer of the forward pass, the index of the module that serves it.
            ``(0, 1, 2)`` is an ordinary stack of three; ``(0, 0, 0)`` shares one module.
        relative_bias: tables of distances for the self-attention, if it has any.
        sharing: what the modules have in common.
        rotary: how queries and keys of the self-attention are rotated, if they are.
        scores_by_layer: whether scores are also divided by the number of their layer, from 1.
        window: in a causal stack, keys that a query sees, its own included; ``None`` for all that
            come before it.
    """

    layer: LayerConfig
    plan: tuple[int, ...]
    relative_bias: RelativeBiasConfig | None = None
    sharing: Sharing = Sharing.NOTHING
    rotary: RotaryConfig | None = None
    window: int | None = None
    scores_by_layer: bool = False

    def __post_init__(self) -> None:
        if self.window is not None:
            require_positive(self, "window")
        if self.rotary is not None:
            size = self.layer.attention.head_size
            turned = self.rotary.turned(size)
            least = 4 if isinstance(self.rotary.scaling, DynamicScaling) else 2
            if turned % 2 or not least <= turned <= size:
                raise ConfigError(
                    "rotary positions need an even number of features a head,"
                    f" {least} or more and at most {size}, not {turned}"
                )
        if set(self.plan) != set(range(self.modules)) or not self.plan:
            raise ConfigError(
                f"a plan must use the modules 0 to {self.modules - 1} without a gap: {self.plan}"
            )

    @classmethod
    def of_depth(
        cls,
        layer: LayerConfig,
        depth: int,
        *,
        relative_bias: RelativeBiasConfig | None = None,
        sharing: Sharing = Sharing.NOTHING,
        rotary: RotaryConfig | None = None,
        window: int | None = None,
        scores_by_layer: bool = False,
    ) -> StackConfig:
        """An ordinary stack: every layer has a module of its own."""
        plan = tuple(range(depth))
        return cls(layer, plan, relative_bias, sharing, rotary, window, scores_by_layer)

    @property
    def depth(self) -> int:
        """Layers of the forward pass."""
        return len(self.plan)

    @property
    def modules(self) -> int:
        """Distinct modules, each counted once however often it serves."""
        return max(self.plan, default=-1) + 1

    @property
    def shared_bias(self) -> RelativeBiasConfig | None:
        """The table of distances that all layers share, if they do."""
        own = self.relative_bias is not None and self.relative_bias.in_layers
        return None if own else self.relative_bias


class LabelChoice(Enum):
    """What the scores of labels mean."""

    ONE = "one"  # one label is right: a softmax
    SEVERAL = "several"  # each may be right: a sigmoid each
    NUMBER = "number"  # the scores are numbers themselves


@dataclass(frozen=True)
class LabelConfig:
    """The labels that a fine-tuned model gives to texts or to tokens.

    Attributes:
        names: one for each column of its head.
        choice: what the scores mean.
        hidden: of a head for texts, the activation after a dense layer of its own; ``None`` for no
            such layer: the head reads the pooler, or in a causal model the last token.
    """

    names: tuple[str, ...]
    choice: LabelChoice = LabelChoice.ONE
    hidden: Activation | None = None

    def __post_init__(self) -> None:
        if not self.names:
            raise ConfigError("a head for labels needs at least one label")


@dataclass(frozen=True)
class ModelConfig:
    """A whole model.

    Attributes:
        system: name in ``core.models.registry``, for example ``"bert"``.
        embedding: its input tables.
        encoder: its bidirectional stack, if it has one.
        decoder: its causal stack, if it has one.
        heads: what it predicts.
        pooler: whether a dense layer summarises the first token.
        initial_deviation: standard deviation of freshly initialised matrices.
        fan_in: whether that is divided by the root of what a matrix reads, see
            :class:`core.models.blocks.weights.Linear`.
        tied: whether words are scored with the token table itself.
        word_bias: whether every piece has a bias when the next one is scored.
        word_scale: factor on the hidden states when the next piece is scored.
        start_id: what a decoder reads first; ``None`` for no decoder of its own.
        recurrent: its recurrent sides, if it has them.
        tasks: labelled tasks that it has a head for, each with a name of its own.
        labels: that a fine-tuned model gives; ``None`` where it gives none.
    """

    system: str
    embedding: EmbeddingConfig
    encoder: StackConfig | None = None
    decoder: StackConfig | None = None
    heads: tuple[Head, ...] = ()
    pooler: bool = False
    initial_deviation: float = 0.02
    fan_in: bool = False
    tied: bool = True
    word_bias: bool = False
    word_scale: float = 1.0
    start_id: int | None = None
    recurrent: RecurrentConfig | None = None
    tasks: tuple[TaskConfig, ...] = ()
    labels: LabelConfig | None = None

    def __post_init__(self) -> None:
        for name in ("encoder", "decoder"):
            stack = getattr(self, name)
            if stack is not None and stack.layer.width != self.embedding.layer_width:
                raise ConfigError(
                    f"the embedding is {self.embedding.layer_width} wide,"
                    f" but the {name}'s layers are {stack.layer.width} wide"
                )
        if self.encoder is None and self.decoder is None and self.recurrent is None:
            raise ConfigError("a model needs an encoder or a decoder")
        for head in POOLED_HEADS:
            if head in self.heads and not self.pooler:
                name = head.value.replace("_", "-")
                raise ConfigError(f"the {name} head reads the pooler, which is switched off")
        if (self.labels is None) != LABEL_HEADS.isdisjoint(self.heads):
            raise ConfigError("a head for labels needs labels, and labels need a head")
        if self.tasks and not self.pooler:
            raise ConfigError("the tasks' heads read the pooler, which is switched off")
        names = [task.name for task in self.tasks]
        if len(set(names)) < len(names):
            raise ConfigError(f"two tasks have one name: {', '.join(names)}")
