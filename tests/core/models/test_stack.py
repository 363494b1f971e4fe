"""Layers against their formulas: post-norm, pre-norm, with cross-attention."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from core.config import (
    Activation,
    AttentionConfig,
    FeedForwardConfig,
    LayerConfig,
    NormPlacement,
    StackConfig,
)
from core.hooks import capture, name_hook_points
from core.models.blocks.build import build_layer, build_stack
from core.models.blocks.masks import Mask
from core.models.blocks.stack import TransformerLayer

CONFIG = LayerConfig(
    width=8,
    attention=AttentionConfig(heads=2, head_size=4),
    feed_forward=FeedForwardConfig(hidden=16, activation=Activation.RELU),
    norm_epsilon=1e-5,
)


def randomised(module: nn.Module) -> nn.Module:
    generator = torch.Generator().manual_seed(2)
    for parameter in module.parameters():
        parameter.data.normal_(0.5, 0.5, generator=generator)
    return module.eval().requires_grad_(False)


def random_layer(**settings: object) -> TransformerLayer:
    layer = randomised(build_layer(replace(CONFIG, **settings)))  # type: ignore[arg-type]
    assert isinstance(layer, TransformerLayer)
    return layer


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(4)


def test_post_norm_normalises_each_sum() -> None:
    layer, hidden = random_layer(), torch.randn(2, 5, 8)
    mask = Mask.causal(5, 5)
    middle = layer.attention_norm(hidden + layer.attention(hidden, mask=mask))
    expected = layer.feed_forward_norm(middle + layer.feed_forward(middle))
    torch.testing.assert_close(layer(hidden, mask=mask), expected)


def test_pre_norm_normalises_each_sublayers_input() -> None:
    layer, hidden = random_layer(placement=NormPlacement.PRE), torch.randn(2, 5, 8)
    middle = hidden + layer.attention(layer.attention_norm(hidden))
    expected = middle + layer.feed_forward(layer.feed_forward_norm(middle))
    torch.testing.assert_close(layer(hidden), expected)


@pytest.mark.parametrize("placement", NormPlacement)
def test_cross_attention_stands_between(placement: NormPlacement) -> None:
    layer = random_layer(placement=placement, cross_attention=True)
    hidden, memory = torch.randn(1, 4, 8), torch.randn(1, 7, 8)
    mask = Mask.causal(4, 4)
    memory_mask = Mask.padding(torch.tensor([[True] * 5 + [False] * 2]))
    cross, norm = layer.cross_attention, layer.cross_attention_norm
    assert cross is not None
    assert norm is not None
    if placement is NormPlacement.POST:
        first = layer.attention_norm(hidden + layer.attention(hidden, mask=mask))
        second = norm(first + cross(first, memory=memory[:, :5]))
        expected = layer.feed_forward_norm(second + layer.feed_forward(second))
    else:
        first = hidden + layer.attention(layer.attention_norm(hidden), mask=mask)
        second = first + cross(norm(first), memory=memory[:, :5])
        expected = second + layer.feed_forward(layer.feed_forward_norm(second))
    found = layer(hidden, mask=mask, memory=memory, memory_mask=memory_mask)
    torch.testing.assert_close(found, expected)


def test_cross_attention_has_weights_of_its_own() -> None:
    layer = random_layer(cross_attention=True)
    hidden, memory = torch.randn(1, 4, 8), torch.randn(1, 7, 8)
    assert not torch.allclose(layer(hidden, memory=memory), layer(hidden, memory=memory.flip(2)))
    assert layer.cross_attention is not layer.attention


@pytest.mark.parametrize("placement", NormPlacement)
def test_hook_points_tell_sums_and_norms_apart(placement: NormPlacement) -> None:
    layer = random_layer(placement=placement)
    name_hook_points(layer)
    hidden = torch.randn(1, 3, 8)
    with capture(["*"]) as trace:
        result = layer(hidden)
    post = placement is NormPlacement.POST
    assert torch.equal(trace["input"], hidden)
    assert torch.equal(trace["output"], result)
    source = hidden if post else trace["after_attention_norm"]
    torch.testing.assert_close(trace["after_attention"], hidden + layer.attention(source))
    normalised = trace["after_attention"] if post else hidden
    torch.testing.assert_close(trace["after_attention_norm"], layer.attention_norm(normalised))
    last = "after_feed_forward_norm" if post else "after_feed_forward"
    assert torch.equal(trace[last], result)


def test_a_stack_runs_its_plan_and_ends_pre_norm_with_a_norm() -> None:
    pre = replace(CONFIG, placement=NormPlacement.PRE)
    for layer in (CONFIG, pre):
        stack = randomised(build_stack(StackConfig(layer, plan=(0, 1, 0))))
        layers, norm = stack.get_submodule("layers"), stack.get_submodule("final_norm")
        first, second = layers.children()
        hidden = torch.randn(1, 3, 8)
        torch.testing.assert_close(stack(hidden), norm(first(second(first(hidden)))))
        assert isinstance(norm, nn.LayerNorm) is (layer is pre)
