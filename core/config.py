"""What a model is made of: frozen, nested, validated descriptions.

A configuration that contradicts itself cannot be constructed; the error names both numbers.
Names are ours; the translation from and to Hugging Face's keys is in ``core.checkpoints``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from core.errors import ConfigError
from core.models.blocks.activations import Activation


class NormPlacement(Enum):
    """Where a layer normalises its residual stream."""

    POST = "post"  # after each residual sum: original Transformer, BERT family, XLNet, GPT-1
    PRE = "pre"  # before each sublayer, with a final norm after the stack: GPT-2, T5


class Head(Enum):
    """What a model can predict on top of its body."""

    MASKED_LANGUAGE = "masked_language"
    NEXT_SENTENCE = "next_sentence"


def _require_positive(owner: object, *names: str) -> None:
    for name in names:
        value = getattr(owner, name)
        if value < 1:
            raise ConfigError(f"{type(owner).__name__}.{name} must be at least 1, not {value}")


def _require_probability(owner: object, *names: str) -> None:
    for name in names:
        value = getattr(owner, name)
        if not 0.0 <= value < 1.0:
            raise ConfigError(f"{type(owner).__name__}.{name} must be in [0, 1), not {value}")


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
    """

    vocabulary: int
    width: int
    max_positions: int
    segments: int
    norm_epsilon: float = 1e-12
    dropout: float = 0.1

    def __post_init__(self) -> None:
        _require_positive(self, "vocabulary", "width", "max_positions")
        _require_probability(self, "dropout")
        if self.segments < 0:
            raise ConfigError(f"EmbeddingConfig.segments must not be negative: {self.segments}")


@dataclass(frozen=True)
class AttentionConfig:
    """One multi-head attention.

    Attributes:
        heads: number of heads.
        head_size: features of a head's queries, keys and values. A field of its own: in T5 it is
            independent of the model width divided by the heads.
        scale: factor on query times key; ``None`` means ``head_size ** -0.5``, T5 uses 1.
        bias: whether the four projections have one.
        dropout: probability on the weights, after the softmax.
    """

    heads: int
    head_size: int
    scale: float | None = None
    bias: bool = True
    dropout: float = 0.1

    def __post_init__(self) -> None:
        _require_positive(self, "heads", "head_size")
        _require_probability(self, "dropout")

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
    """

    hidden: int
    activation: Activation
    bias: bool = True

    def __post_init__(self) -> None:
        _require_positive(self, "hidden")


@dataclass(frozen=True)
class LayerConfig:
    """One transformer layer: self-attention, optionally cross-attention, feed-forward.

    Attributes:
        width: features of the residual stream.
        placement: where its norms stand.
        norm_epsilon: added to the variance in its norms.
        dropout: probability on each sublayer's output, before the residual sum.
        cross_attention: whether it also attends to another sequence.
    """

    width: int
    attention: AttentionConfig
    feed_forward: FeedForwardConfig
    placement: NormPlacement = NormPlacement.POST
    norm_epsilon: float = 1e-12
    dropout: float = 0.1
    cross_attention: bool = False

    def __post_init__(self) -> None:
        _require_positive(self, "width")
        _require_probability(self, "dropout")


@dataclass(frozen=True)
class StackConfig:
    """A sequence of layers.

    Attributes:
        layer: what every layer looks like.
        plan: for each layer of the forward pass, the index of the module that serves it.
            ``(0, 1, 2)`` is an ordinary stack of three; ``(0, 0, 0)`` shares one module.
    """

    layer: LayerConfig
    plan: tuple[int, ...]

    def __post_init__(self) -> None:
        if set(self.plan) != set(range(self.modules)) or not self.plan:
            raise ConfigError(
                f"a plan must use the modules 0 to {self.modules - 1} without a gap: {self.plan}"
            )

    @classmethod
    def of_depth(cls, layer: LayerConfig, depth: int) -> StackConfig:
        """An ordinary stack: every layer has a module of its own."""
        return cls(layer, tuple(range(depth)))

    @property
    def depth(self) -> int:
        """Layers of the forward pass."""
        return len(self.plan)

    @property
    def modules(self) -> int:
        """Distinct modules, each counted once however often it serves."""
        return max(self.plan, default=-1) + 1


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
    """

    system: str
    embedding: EmbeddingConfig
    encoder: StackConfig | None = None
    decoder: StackConfig | None = None
    heads: tuple[Head, ...] = ()
    pooler: bool = False
    initial_deviation: float = 0.02

    def __post_init__(self) -> None:
        for name in ("encoder", "decoder"):
            stack = getattr(self, name)
            if stack is not None and stack.layer.width != self.embedding.width:
                raise ConfigError(
                    f"the embedding is {self.embedding.width} wide,"
                    f" but the {name}'s layers are {stack.layer.width} wide"
                )
        if self.encoder is None and self.decoder is None:
            raise ConfigError("a model needs an encoder or a decoder")
        if Head.NEXT_SENTENCE in self.heads and not self.pooler:
            raise ConfigError("the next-sentence head reads the pooler, which is switched off")
