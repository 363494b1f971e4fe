"""What makes the original Transformer what it is in Marian's form, each shown to be noticed."""

import math
from typing import Any

import pytest
import torch
from torch import nn

from core.config import Activation
from core.hooks import capture
from core.models.blocks.activations import Activate
from core.models.blocks.positions import SinusoidalPositions, sinusoids
from core.parity import comparison_of
from tests.parity.quirks import assert_shows, modules_of, other_placement

pytestmark = pytest.mark.parity

TRANSFORMER = comparison_of("transformer")


def paper_positions(model: Any) -> None:
    model.embedding.position_table = SinusoidalPositions(600, 48, interleaved=True)


def positions_from_1(model: Any) -> None:
    table = model.embedding.position_table
    whole = table.forward
    table.forward = lambda ids, start=0: whole(ids, start + 1)


def test_sines_come_first_and_positions_start_at_0() -> None:
    assert_shows(TRANSFORMER, paper_positions, "first attention")
    assert_shows(TRANSFORMER, positions_from_1, "first attention")


@pytest.mark.parametrize("interleaved", [True, False])
def test_waves_by_hand(interleaved: bool) -> None:
    rows = sinusoids(40, 6, interleaved=interleaved)
    for position in (0, 1, 39):
        phases = [position / 10000 ** (2 * pair / 6) for pair in range(3)]
        sines, cosines = [math.sin(p) for p in phases], [math.cos(p) for p in phases]
        pairs = [value for pair in zip(sines, cosines, strict=True) for value in pair]
        expected = pairs if interleaved else [*sines, *cosines]
        torch.testing.assert_close(rows[position], torch.tensor(expected))


def unscaled_embedding(model: Any) -> None:
    model.embedding.scale = 1.0


def scaled_positions(model: Any) -> None:
    model.embedding.position_table.register_forward_hook(
        lambda _table, _inputs, rows: rows * model.embedding.scale
    )


def test_token_rows_are_scaled_and_positions_are_not() -> None:
    assert TRANSFORMER.pair()[0].embedding.scale == math.sqrt(48)
    assert_shows(TRANSFORMER, unscaled_embedding, "first attention")
    assert_shows(TRANSFORMER, scaled_positions, "first attention")


def no_logits_bias(model: Any) -> None:
    model.language.bias = None


def test_every_piece_has_a_bias() -> None:
    ours, theirs = TRANSFORMER.pair()
    with torch.no_grad():
        theirs.final_logits_bias.copy_(torch.linspace(-1, 1, 101)[None])
        ours.language.bias.copy_(theirs.final_logits_bias[0])
    batch = TRANSFORMER.batch(101, 9)

    def off(model: Any) -> float:
        with torch.inference_mode():
            mine: Any = TRANSFORMER.run_ours(model, batch)
            other: Any = TRANSFORMER.run_theirs(theirs, batch)
        assert batch.target is not None
        return float((mine.logits - other.logits)[batch.target.valid].abs().max())

    assert off(ours) <= 1e-5
    no_logits_bias(ours)
    assert off(ours) > 0.5


def test_norms_come_last_on_both_sides() -> None:
    ours, _ = TRANSFORMER.pair()
    assert isinstance(ours.encoder.final_norm, nn.Identity)
    assert isinstance(ours.decoder.final_norm, nn.Identity)
    assert_shows(TRANSFORMER, other_placement, "first attention")


def gelu(model: Any) -> None:
    for module in modules_of(model, Activate):
        module.activation = Activation.GELU


def swapped_norms(model: Any) -> None:
    for layer in model.decoder.layers:
        layer.attention_norm, layer.cross_attention_norm = (
            layer.cross_attention_norm,
            layer.attention_norm,
        )


def sources_padding_is_seen(model: Any) -> None:
    model.decoder.register_forward_pre_hook(
        lambda _stack, inputs, options: (inputs, {**options, "memory_mask": None}),
        with_kwargs=True,
    )


def test_blocks() -> None:
    assert_shows(TRANSFORMER, gelu, "first encoder block")
    for broken in (swapped_norms, sources_padding_is_seen):
        assert_shows(TRANSFORMER, broken, "first decoder block")


def test_the_future_is_hidden_exactly() -> None:
    ours, _ = TRANSFORMER.pair()
    with torch.inference_mode(), capture(["decoder.layers.*.attention.pattern"]) as trace:
        TRANSFORMER.run_ours(ours, TRANSFORMER.batch(101, 32).without_options())
    for record in trace.records:
        assert torch.equal(record.value.triu(1), torch.zeros_like(record.value))
