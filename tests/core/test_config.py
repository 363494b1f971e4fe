"""A configuration that contradicts itself is refused, with both numbers."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace

import pytest

from core.config import (
    Activation,
    AttentionConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    Head,
    LayerConfig,
    ModelConfig,
    StackConfig,
)
from core.errors import ConfigError
from core.models.architectures.bert import bert_config

TABLES = EmbeddingConfig(vocabulary=30, width=8, max_positions=16, segments=2)
LAYER = LayerConfig(
    width=8,
    attention=AttentionConfig(heads=2, head_size=4),
    feed_forward=FeedForwardConfig(hidden=16, activation=Activation.GELU),
)
STACK = StackConfig.of_depth(LAYER, 2)
WIDER = StackConfig.of_depth(replace(LAYER, width=12), 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: replace(TABLES, vocabulary=0), "EmbeddingConfig.vocabulary .* at least 1, not 0"),
        (lambda: replace(TABLES, max_positions=-3), "max_positions .* at least 1, not -3"),
        (lambda: replace(TABLES, segments=-1), "segments must not be negative: -1"),
        (lambda: replace(TABLES, dropout=1.0), r"dropout must be in \[0, 1\), not 1.0"),
        (lambda: AttentionConfig(heads=0, head_size=4), "AttentionConfig.heads .* not 0"),
        (lambda: AttentionConfig(heads=2, head_size=0), "head_size .* not 0"),
        (lambda: FeedForwardConfig(0, Activation.RELU), "FeedForwardConfig.hidden .* not 0"),
        (lambda: replace(LAYER, dropout=-0.1), "LayerConfig.dropout .* not -0.1"),
        (lambda: replace(LAYER, width=0), "LayerConfig.width .* not 0"),
        (lambda: StackConfig(LAYER, ()), "without a gap"),
        (lambda: StackConfig(LAYER, (0, 2)), r"modules 0 to 2 without a gap: \(0, 2\)"),
        (lambda: ModelConfig("bert", TABLES, encoder=WIDER), "8 wide, but the encoder.* 12 wide"),
        (lambda: ModelConfig("gpt", TABLES, decoder=WIDER), "8 wide, but the decoder.* 12 wide"),
        (lambda: ModelConfig("bert", TABLES), "needs an encoder or a decoder"),
        (
            lambda: ModelConfig("bert", TABLES, STACK, heads=(Head.NEXT_SENTENCE,)),
            "reads the pooler, which is switched off",
        ),
        (lambda: bert_config(vocabulary=30, width=10, heads=4), "width of 10 .* 4 heads"),
        (lambda: bert_config(vocabulary=30, heads=0), "by 0 heads"),
    ],
)
def test_contradictions_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()


def test_configurations_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        TABLES.width = 16  # type: ignore[misc]


@pytest.mark.parametrize(
    ("plan", "depth", "modules"), [((0, 1, 2), 3, 3), ((0, 0, 0), 3, 1), ((0, 0, 1, 1, 2), 5, 3)]
)
def test_a_plan_counts_layers_and_modules(plan: tuple[int, ...], depth: int, modules: int) -> None:
    stack = StackConfig(LAYER, plan)
    assert (stack.depth, stack.modules) == (depth, modules)


def test_the_scale_follows_the_head_size_unless_given() -> None:
    assert AttentionConfig(heads=2, head_size=16).score_scale == 0.25
    assert AttentionConfig(heads=2, head_size=16, scale=1.0).score_scale == 1.0


def test_the_defaults_are_bert_base() -> None:
    config = bert_config(vocabulary=30_522)
    assert config.encoder is not None
    layer = config.encoder.layer
    assert config.encoder.depth == 12
    assert (layer.width, layer.attention.heads, layer.attention.head_size) == (768, 12, 64)
    assert layer.feed_forward.hidden == 3072
    assert layer.feed_forward.activation is Activation.GELU
    assert config.embedding.max_positions == 512
    assert layer.norm_epsilon == config.embedding.norm_epsilon == 1e-12
