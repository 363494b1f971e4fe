"""What makes T5 and its version 1.1 what they are, each shown to be noticed."""

from typing import Any

import pytest
import torch
from torch import nn

from core.config import RelativeBiasConfig
from core.hooks import capture
from core.models.blocks.attention import DotProductScore
from core.models.blocks.norms import RootMeanSquareNorm
from core.models.blocks.relative import RelativeBias, buckets_of
from core.parity import comparison_of
from tests.parity.quirks import assert_shows, exact_gelu, modules_of, other_placement

pytestmark = pytest.mark.parity

T5, T5_1_1, UMT5 = comparison_of("t5"), comparison_of("t5-1.1"), comparison_of("umt5")
BOTH = pytest.mark.parametrize("comparison", [T5, T5_1_1], ids=lambda one: one.name)


def scaled_scores(model: Any) -> None:
    for score in modules_of(model, DotProductScore):
        score.scale = model.config.encoder.layer.attention.head_size**-0.5


@BOTH
def test_scores_are_not_scaled(comparison: Any) -> None:
    assert_shows(comparison, scaled_scores, "first attention")


def bias_in_the_first_layer_only(side: str) -> Any:
    def broken(model: Any) -> None:
        def without(_module: Any, inputs: Any, options: dict[str, Any]) -> Any:
            return inputs, {**options, "position_bias": None}

        for layer in model.get_submodule(side).layers[1:]:
            layer.register_forward_pre_hook(without, with_kwargs=True)

    return broken


def bias_for_the_cross_attention(model: Any) -> None:
    def with_bias(_module: Any, inputs: Any, options: dict[str, Any]) -> Any:
        queries, keys = inputs[0].shape[1], options["memory"].shape[1]
        return inputs, {**options, "position_bias": model.encoder.relative_bias(queries, keys)}

    for layer in model.decoder.layers:
        layer.cross_attention.register_forward_pre_hook(with_bias, with_kwargs=True)


@BOTH
def test_each_stack_has_one_table_for_all_its_layers(comparison: Any) -> None:
    tables = {
        name
        for name, parameter in comparison.pair()[0].named_parameters()
        if parameter.shape == (32, 4)  # buckets, heads
    }
    assert tables == {"encoder.relative_bias.table.weight", "decoder.relative_bias.table.weight"}
    assert_shows(comparison, bias_in_the_first_layer_only("encoder"), "every encoder pattern")
    assert_shows(comparison, bias_in_the_first_layer_only("decoder"), "every decoder pattern")
    assert_shows(comparison, bias_for_the_cross_attention, "first decoder block")


def one_table_for_all_layers(side: str) -> Any:
    def broken(model: Any) -> None:
        layers = model.get_submodule(side).layers
        for layer in layers[1:]:
            layer.relative_bias = layers[0].relative_bias

    return broken


def test_in_umt5_every_layer_has_a_table() -> None:
    ours, _ = UMT5.pair()
    tables = [name for name, one in ours.named_parameters() if one.shape == (32, 4)]
    assert len(tables) == 2 + 3
    assert_shows(UMT5, one_table_for_all_layers("encoder"), "every encoder pattern")
    assert_shows(UMT5, one_table_for_all_layers("decoder"), "every decoder pattern")
    batch = UMT5.batch(101, 9).without_options()
    with torch.inference_mode(), capture(["encoder.layers.*.position_bias"]) as trace:
        UMT5.run_ours(ours, batch)
    first, second = (record.value for record in trace.records)
    assert first.shape == (1, 4, 14, 14)
    assert (first - second).abs().max() > 0.1


def causal_buckets_in_the_encoder(model: Any) -> None:
    model.encoder.relative_bias.bidirectional = False


def bidirectional_in_the_decoder(model: Any) -> None:
    model.decoder.relative_bias.bidirectional = True


@BOTH
def test_the_encoders_buckets_are_bidirectional_and_the_decoders_causal(comparison: Any) -> None:
    assert_shows(comparison, causal_buckets_in_the_encoder, "first attention")
    # Up to nine tokens, what lies behind has the same buckets either way.
    assert_shows(comparison, bidirectional_in_the_decoder, None, length=9)
    assert_shows(comparison, bidirectional_in_the_decoder, "first decoder block", length=64)


@pytest.mark.parametrize("bidirectional", [True, False])
def test_buckets_of_every_distance(bidirectional: bool) -> None:
    from transformers.models.t5.modeling_t5 import T5Attention

    distance = torch.arange(-600, 601)
    ours = buckets_of(distance, RelativeBiasConfig(), bidirectional=bidirectional)
    theirs = T5Attention._relative_position_bucket(distance, bidirectional=bidirectional)
    assert torch.equal(ours, theirs)


def test_heads_are_wider_or_narrower_than_the_model_together() -> None:
    for comparison, inner in ((T5, 64), (T5_1_1, 32)):
        attention = comparison.pair()[0].decoder.layers[0].cross_attention
        assert attention.query_projection.weight.shape == (inner, 48)
        assert attention.output_projection.weight.shape == (48, inner)


def norms_take_the_mean_off(model: Any) -> None:
    for norm in modules_of(model, RootMeanSquareNorm):
        norm.register_forward_pre_hook(
            lambda _norm, inputs: (inputs[0] - inputs[0].mean(-1, keepdim=True),)
        )


@BOTH
def test_norms_keep_the_mean_and_nothing_has_a_bias(comparison: Any) -> None:
    assert_shows(comparison, norms_take_the_mean_off, "first attention")
    assert_shows(comparison, other_placement, "first attention")
    ours, _ = comparison.pair()
    assert [name for name, _ in ours.named_parameters() if name.endswith(".bias")] == []
    assert isinstance(ours.encoder.final_norm, RootMeanSquareNorm)
    assert isinstance(ours.encoder.relative_bias, RelativeBias)


def no_final_norm(model: Any) -> None:
    model.decoder.final_norm = nn.Identity()


def no_final_norm_of_the_memory(model: Any) -> None:
    model.encoder.final_norm = nn.Identity()


@BOTH
def test_both_stacks_end_with_a_norm(comparison: Any) -> None:
    assert_shows(comparison, no_final_norm, "token logits")
    assert_shows(comparison, no_final_norm_of_the_memory, "first decoder block")


def other_scale(model: Any) -> None:
    tied = model.language.own is None
    model.language.scale = 1.0 if tied else 48**-0.5


def tied_matrix(model: Any) -> None:
    model.language.own = None


@BOTH
def test_only_tied_logits_are_scaled(comparison: Any) -> None:
    assert_shows(comparison, other_scale, "token logits")


def test_version_1_1_has_an_output_matrix_of_its_own_and_gates() -> None:
    assert_shows(T5_1_1, tied_matrix, "token logits")
    assert_shows(T5_1_1, exact_gelu, "first encoder block")


def swapped_gates(model: Any) -> None:
    for layer in [*model.encoder.layers, *model.decoder.layers]:
        part = layer.feed_forward
        part.inner_projection, part.gate_projection = part.gate_projection, part.inner_projection


def test_the_activated_half_comes_first() -> None:
    assert_shows(T5_1_1, swapped_gates, "first encoder block")


@BOTH
def test_the_future_is_hidden_exactly(comparison: Any) -> None:
    ours, _ = comparison.pair()
    with torch.inference_mode(), capture(["decoder.layers.*.attention.pattern"]) as trace:
        comparison.run_ours(ours, comparison.batch(101, 64).without_options())
    for record in trace.records:
        assert torch.equal(record.value.triu(1), torch.zeros_like(record.value))
