"""What makes GPT-2 and GPT-1 what they are, each shown to be noticed."""

from typing import Any

import pytest
import torch
from torch import nn

from core.hooks import capture
from core.models.blocks.masks import Mask
from core.parity import comparison_of
from tests.parity.quirks import assert_shows, exact_gelu, other_placement

pytestmark = pytest.mark.parity

GPT2, GPT1 = comparison_of("gpt"), comparison_of("gpt1")
BOTH = pytest.mark.parametrize("comparison", [GPT2, GPT1], ids=lambda one: one.name)


@BOTH
def test_query_key_and_value_stand_side_by_side(comparison: Any) -> None:
    ours, theirs = comparison.pair()
    fused = theirs.transformer.h[1].attn.c_attn
    attention = ours.decoder.layers[1].attention
    for index, name in enumerate(("query", "key", "value")):
        columns = slice(48 * index, 48 * (index + 1))
        projection = getattr(attention, f"{name}_projection")
        assert torch.equal(projection.weight, fused.weight[:, columns].T)
        assert torch.equal(projection.bias, fused.bias[columns])


def swapped_queries_and_keys(model: Any) -> None:
    for layer in model.decoder.layers:
        one = layer.attention
        one.query_projection, one.key_projection = one.key_projection, one.query_projection


def swapped_keys_and_values(model: Any) -> None:
    for layer in model.decoder.layers:
        one = layer.attention
        one.key_projection, one.value_projection = one.value_projection, one.key_projection


@BOTH
def test_mixing_up_the_fused_parts_shows(comparison: Any) -> None:
    assert_shows(comparison, swapped_queries_and_keys, "first attention")
    assert_shows(comparison, swapped_keys_and_values, "first attention")


@BOTH
def test_gelu_is_the_tanh_form_also_where_it_is_called_gelu(comparison: Any) -> None:
    assert_shows(comparison, exact_gelu, "first block")


def test_gpt1s_settings_call_it_gelu() -> None:
    assert GPT1.pair()[1].config.afn == "gelu"


@BOTH
def test_norms_come_first_in_the_second_and_last_in_the_first(comparison: Any) -> None:
    assert_shows(comparison, other_placement, "first attention")


def no_final_norm(model: Any) -> None:
    model.decoder.final_norm = nn.Identity()


def test_only_the_second_has_a_final_norm() -> None:
    assert_shows(GPT2, no_final_norm, "token logits")
    assert isinstance(GPT1.pair()[0].decoder.final_norm, nn.Identity)


def future_is_seen(model: Any) -> None:
    def without_mask(_module: Any, inputs: Any, options: dict[str, Any]) -> Any:
        keys = inputs[0].shape[1]
        return inputs, {**options, "mask": Mask(torch.ones(1, 1, 1, keys, dtype=torch.bool))}

    model.decoder.register_forward_pre_hook(without_mask, with_kwargs=True)


@BOTH
def test_the_future_is_hidden_exactly(comparison: Any) -> None:
    ours, _ = comparison.pair()
    with torch.inference_mode(), capture(["decoder.layers.*.attention.pattern"]) as trace:
        comparison.run_ours(ours, comparison.batch(101, 32).without_options())
    for record in trace.records:
        assert torch.equal(record.value.triu(1), torch.zeros_like(record.value))
    assert_shows(comparison, future_is_seen, "first attention")
