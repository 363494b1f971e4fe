"""Interventions: they do what a change of weights by hand does, and come before collectors."""

from copy import deepcopy

import pytest
import torch
from torch import Tensor

from core.errors import FusedAttentionError, HeadOutOfRangeError, NothingCapturedError
from core.hooks import (
    Intervention,
    Site,
    ablate_each_head,
    ablate_heads,
    capture,
    intervene,
    replace_pattern,
)
from core.models.architectures.bert import Bert
from core.models.blocks.attention import Attention, fused_attention
from core.models.blocks.masks import Mask

PATTERN = "encoder.layers.*.attention.pattern"
HEAD_SIZE = 4


def test_ablating_heads_equals_cutting_their_columns(bert: Bert, ids: Tensor) -> None:
    heads = [(0, 1), (2, 0), (2, 3)]
    with intervene(*ablate_heads(heads)):
        off = bert(ids).logits
    cut = deepcopy(bert)
    for layer, head in heads:
        weight = cut.get_parameter(f"encoder.layers.{layer}.attention.output_projection.weight")
        weight[:, head * HEAD_SIZE : (head + 1) * HEAD_SIZE] = 0.0  # a column a feature of a head
    torch.testing.assert_close(off, cut(ids).logits, atol=1e-6, rtol=1e-6)
    assert (off - bert(ids).logits).abs().max() > 0.01


def test_heads_can_be_ablated_on_the_fused_path(bert: Bert, ids: Tensor) -> None:
    with intervene(*ablate_heads([(1, 2)])):
        explicit = bert(ids).logits
        with fused_attention():
            fused = bert(ids).logits
    torch.testing.assert_close(fused, explicit, atol=1e-5, rtol=1e-5)


def test_each_head_of_a_layer_is_ablated_in_a_row_of_its_own(bert: Bert, ids: Tensor) -> None:
    with intervene(ablate_each_head(1)), capture(["encoder.layers.*.input"]) as trace:
        rows = bert(ids[:1]).logits
    # Up to the layer one row is computed for all.
    assert [len(record.value) for record in trace.records] == [1, 1, len(rows)]
    for head, row in enumerate(rows):
        with intervene(*ablate_heads([(1, head)])):
            alone = bert(ids[:1]).logits[0]
        torch.testing.assert_close(row, alone, atol=1e-5, rtol=1e-5)
    assert (rows[0] - rows[1]).abs().max() > 0.01
    with pytest.raises(ValueError, match="not 2"), intervene(ablate_each_head(1)):
        bert(ids)


def test_ablating_no_head_changes_nothing(bert: Bert, ids: Tensor) -> None:
    with intervene(*ablate_heads([])):
        same = bert(ids).logits
    assert torch.equal(same, bert(ids).logits)


def test_a_replaced_pattern_is_exactly_the_one_given(bert: Bert, ids: Tensor) -> None:
    weights = torch.eye(7).flip(0)
    with capture([PATTERN, "encoder.layers.1.attention.mixed"]) as trace:
        bert(ids)
    with (
        intervene(replace_pattern(1, 2, weights)),
        capture([PATTERN, "encoder.layers.1.attention.*"]) as changed,
    ):
        bert(ids)
    before, after = trace.stacked(PATTERN), changed.stacked(PATTERN)
    assert torch.equal(after[1, :, 2], weights.expand(2, 7, 7))
    assert torch.equal(after[0], before[0])
    others = [0, 1, 3]
    assert torch.equal(after[1][:, others], before[1][:, others])
    assert not torch.allclose(after[2], before[2])
    value = changed["encoder.layers.1.attention.value"]  # [batch, head, token, size]
    mixed = changed["encoder.layers.1.attention.mixed"]
    torch.testing.assert_close(mixed[:, 2], value[:, 2].flip(1))


@pytest.mark.parametrize("capture_first", [True, False])
def test_collectors_see_what_interventions_made(
    bert: Bert, ids: Tensor, capture_first: bool
) -> None:
    weights = torch.eye(7)
    watch, change = capture([PATTERN]), intervene(replace_pattern(0, 0, weights))
    first, second = (watch, change) if capture_first else (change, watch)
    with first as one, second as other:
        bert(ids)
    trace = one if capture_first else other
    assert trace is not None
    assert torch.equal(trace.stacked(PATTERN)[0, 0, 0], weights)


def test_interventions_apply_in_the_order_given(bert: Bert, ids: Tensor) -> None:
    seen: list[str] = []

    def note(name: str) -> Intervention:
        def change(value: Tensor, site: Site) -> Tensor:
            seen.append(name)
            return value

        return Intervention("embedding.sum", change)

    with intervene(note("first"), note("second")), intervene(note("third")):
        bert(ids)
    assert seen == ["first", "second", "third"]


def test_an_intervention_that_meets_no_site_raises(bert: Bert, ids: Tensor) -> None:
    with (
        pytest.raises(NothingCapturedError) as caught,
        intervene(*ablate_heads([(0, 0), (9, 0)])),
    ):
        bert(ids)
    assert caught.value.sites == ("encoder.layers.9.attention.mixed",)


@pytest.mark.parametrize("head", [-1, 4])
@pytest.mark.parametrize("value", ["mixed", "pattern"])
def test_a_head_that_does_not_exist_is_refused(
    bert: Bert, ids: Tensor, head: int, value: str
) -> None:
    off = ablate_heads([(1, 0), (1, head)])
    changes = off if value == "mixed" else (replace_pattern(1, head, torch.eye(7)),)
    with (
        pytest.raises(HeadOutOfRangeError, match=f"no head {head} .* has 4") as caught,
        intervene(*changes),
    ):
        bert(ids)
    assert (caught.value.head, caught.value.heads) == (head, 4)
    assert caught.value.site == f"encoder.layers.1.attention.{value}"


def test_a_layer_before_the_first_is_refused(bert: Bert, ids: Tensor) -> None:
    with pytest.raises(NothingCapturedError), intervene(*ablate_heads([(-1, 0)])):
        bert(ids)


def test_an_intervention_on_a_compiled_model_raises(bert: Bert, ids: Tensor) -> None:
    compiled = torch.compile(bert, fullgraph=True, backend="eager")
    with pytest.raises(NothingCapturedError), intervene(*ablate_heads([(0, 0)])):
        compiled(ids)


def test_replacing_a_pattern_on_the_fused_path_raises(bert: Bert, ids: Tensor) -> None:
    change = replace_pattern(0, 0, torch.eye(7))
    with pytest.raises(FusedAttentionError), fused_attention(), intervene(change):
        bert(ids)


def test_an_error_in_the_block_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError), intervene(replace_pattern(0, 0, torch.eye(2))):
        raise ZeroDivisionError


@pytest.mark.parametrize("training", [True, False])
def test_fused_attention_agrees_with_explicit(bert: Bert, ids: Tensor, training: bool) -> None:
    for module in bert.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
        if isinstance(module, Attention):
            module.dropout_probability = 0.0
    bert.train(training)
    keep = torch.ones(2, 7, dtype=torch.bool)
    keep[1, 4:] = False
    attention = bert.get_submodule("encoder.layers.0.attention")
    hidden = bert.embedding(ids)
    bias = torch.randn(1, 4, 7, 7, generator=torch.Generator().manual_seed(1))
    mask = Mask.padding(keep) & Mask.causal(7, 7)
    for arguments in (
        {},
        {"mask": mask},
        {"position_bias": bias},
        {"mask": mask, "position_bias": bias},
    ):
        explicit = attention(hidden, **arguments)
        with fused_attention():
            fused = attention(hidden, **arguments)
        torch.testing.assert_close(fused, explicit, atol=1e-6, rtol=1e-6)
