"""Captures: what they record, when they raise, and that they leave nothing behind."""

import timeit

import pytest
import torch
from torch import Tensor, nn

from core.config import Activation, AttentionConfig, FeedForwardConfig, LayerConfig, StackConfig
from core.errors import FusedAttentionError, NothingCapturedError
from core.hooks import HookPoint, capture, in_stream, name_hook_points
from core.hooks.point import NOBODY, VISITORS
from core.models.architectures.bert import Bert
from core.models.blocks.attention import fused_attention
from core.models.blocks.build import build_stack

PATTERN = "encoder.layers.*.attention.pattern"
EVERY_SITE = [
    *(f"embedding.{name}" for name in ("tokens", "positions", "segments", "sum", "output")),
    *(
        f"encoder.layers.{layer}.{name}"
        for layer in range(3)
        for name in (
            "input",
            *("attention." + point for point in ("query", "key", "value")),
            *("attention." + point for point in ("scores", "masked_scores", "pattern")),
            *("attention." + point for point in ("mixed", "output")),
            "after_attention",
            "after_attention_norm",
            "feed_forward.hidden",
            "after_feed_forward",
            "after_feed_forward_norm",
            "output",
        )
    ),
    "masked_language.logits",
    "pooler.output",
    "next_sentence.logits",
]


def test_every_site_of_bert_has_its_regular_name_and_order(bert: Bert, ids: Tensor) -> None:
    with capture(["**"]) as trace:
        bert(ids)
    assert [record.site.name for record in trace.records] == EVERY_SITE


def test_stacked_patterns_are_distributions_by_layer(bert: Bert, ids: Tensor) -> None:
    with capture([PATTERN]) as trace:
        bert(ids)
    patterns = trace.stacked(PATTERN)  # [layer, batch, head, query, key]
    assert patterns.shape == (3, 2, 4, 7, 7)
    torch.testing.assert_close(patterns.sum(-1), torch.ones(3, 2, 4, 7))
    assert [record.site.layer for record in trace.records] == [0, 1, 2]
    assert torch.equal(trace["encoder.layers.1.attention.pattern"], patterns[1])
    assert not torch.allclose(patterns[0], patterns[1], atol=0.05)


def test_a_capture_changes_no_result(bert: Bert, ids: Tensor) -> None:
    expected = bert(ids).logits
    with capture(["**"]):
        watched = bert(ids).logits
    assert torch.equal(watched, expected)


def test_records_are_detached_in_training(bert: Bert, ids: Tensor) -> None:
    bert.requires_grad_(True).train()
    with capture(["**"]) as trace:
        bert(ids).logits.sum().backward()
    assert not any(record.value.requires_grad for record in trace.records)
    assert bert.embedding.token_table.weight.grad is not None


def test_patterns_stay_distributions_under_dropout(bert: Bert, ids: Tensor) -> None:
    bert.train()
    with capture([PATTERN]) as trace:
        bert(ids)
    torch.testing.assert_close(trace.stacked(PATTERN).sum(-1), torch.ones(3, 2, 4, 7))


def test_keep_decides_what_is_stored(bert: Bert, ids: Tensor) -> None:
    with capture([PATTERN], keep=lambda value: value[:, 0].half()) as trace:
        bert(ids)
    assert trace.stacked(PATTERN).shape == (3, 2, 7, 7)
    assert trace.stacked(PATTERN).dtype == torch.float16


def test_calls_are_counted_over_several_passes(bert: Bert, ids: Tensor) -> None:
    with capture([PATTERN]) as trace:
        bert(ids)
        bert(ids[:, :4])
    assert [record.call for record in trace.records] == [0, 0, 0, 1, 1, 1]
    assert trace.records[3].value.shape[-1] == 4
    with pytest.raises(KeyError, match="recorded 2 times"):
        trace["encoder.layers.0.attention.pattern"]
    with pytest.raises(KeyError, match="recorded 0 times"):
        trace["embedding.sum"]


def test_a_shared_module_records_every_visit_under_its_own_layer() -> None:
    attention = AttentionConfig(heads=2, head_size=4)
    layer = LayerConfig(8, attention, FeedForwardConfig(16, Activation.GELU))
    model = nn.ModuleDict({"encoder": build_stack(StackConfig(layer, plan=(0, 0, 0)))}).eval()
    name_hook_points(model)
    hidden = torch.randn(1, 5, 8)
    with capture([PATTERN, "encoder.layers.*.input"]) as trace:
        model["encoder"](hidden)
    records = trace.matching(PATTERN)
    assert [record.site.layer for record in records] == [0, 1, 2]
    assert [record.site.name for record in records] == [
        f"encoder.layers.{number}.attention.pattern" for number in range(3)
    ]
    assert torch.equal(trace["encoder.layers.0.input"], hidden)
    assert not torch.allclose(trace["encoder.layers.1.input"], hidden)
    alone = build_stack(StackConfig(layer, plan=(0,)))
    assert sum(p.numel() for p in model.parameters()) == sum(p.numel() for p in alone.parameters())


def test_streams_stay_apart() -> None:
    point = HookPoint()
    point.path = "encoder.layers.0.attention.pattern"
    with capture([PATTERN]) as trace:
        for name, value in (("content", 1.0), ("query", 2.0), ("content", 3.0)):
            with in_stream(name):
                point(torch.tensor(value))
    assert trace.stacked(PATTERN, "content").tolist() == [1.0, 3.0]
    assert trace.stacked(PATTERN, "query").tolist() == [2.0]
    assert [record.call for record in trace.records] == [0, 0, 1]
    assert trace.matching(PATTERN) == []


def test_nested_captures_each_get_their_own(bert: Bert, ids: Tensor) -> None:
    with capture([PATTERN]) as outer:
        bert(ids)
        with capture(["embedding.sum"]) as inner:
            bert(ids)
    assert [record.site.name for record in inner.records] == ["embedding.sum"]
    assert len(outer.records) == 6


def test_a_capture_without_a_forward_pass_raises() -> None:
    with pytest.raises(NothingCapturedError) as caught, capture([PATTERN]):
        pass
    assert caught.value.sites == (PATTERN,)


def test_one_unmatched_name_raises_although_another_matched(bert: Bert, ids: Tensor) -> None:
    with pytest.raises(NothingCapturedError) as caught, capture([PATTERN, "encoder.layers.9.*"]):
        bert(ids)
    assert caught.value.sites == ("encoder.layers.9.*",)


def test_an_error_in_the_block_is_not_hidden(bert: Bert, ids: Tensor) -> None:
    with pytest.raises(ZeroDivisionError), capture(["never.matched"]):
        raise ZeroDivisionError
    assert VISITORS.get() is NOBODY


def test_no_listener_is_left_after_the_block(bert: Bert, ids: Tensor) -> None:
    with capture([PATTERN]) as trace:
        bert(ids)
    bert(ids)
    assert len(trace.records) == 3
    assert VISITORS.get() is NOBODY
    assert not any(module._forward_hooks for module in bert.modules())


@pytest.mark.parametrize("point", ["scores", "masked_scores", "pattern"])
def test_watching_weights_on_the_fused_path_raises(bert: Bert, ids: Tensor, point: str) -> None:
    site = f"encoder.layers.0.attention.{point}"
    with pytest.raises(FusedAttentionError) as caught, fused_attention(), capture([site]):
        bert(ids)
    assert caught.value.site == site


def test_other_sites_can_be_watched_on_the_fused_path(bert: Bert, ids: Tensor) -> None:
    with fused_attention(), capture(["encoder.layers.*.attention.mixed"]) as trace:
        bert(ids)
    assert len(trace.records) == 3


def test_a_compiled_model_is_one_graph_and_refuses_a_capture(bert: Bert, ids: Tensor) -> None:
    compiled = torch.compile(bert, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(ids).logits, bert(ids).logits, atol=1e-5, rtol=1e-5)
    with pytest.raises(NothingCapturedError), capture([PATTERN]):
        compiled(ids)
    with capture([PATTERN]) as trace:  # the model itself still can be watched
        bert(ids)
    assert len(trace.records) == 3


def test_an_idle_point_costs_next_to_nothing() -> None:
    point, value = HookPoint(), torch.zeros(1)
    identity = nn.Identity()

    def fastest(call: nn.Module) -> float:
        return min(timeit.repeat(lambda: call(value), number=2_000, repeat=7))

    assert fastest(point) < 2 * fastest(identity)
