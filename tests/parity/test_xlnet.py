"""What makes XLNet what it is, each shown to be noticed."""

from typing import Any

import pytest
import torch

from core.hooks import capture
from core.models.blocks import relative_attention
from core.models.blocks.positions import waves
from core.models.blocks.relative_attention import RelativeScore, distances, shift
from core.models.permutation import PermutationLayer
from core.parity import comparison_of
from tests.parity.quirks import approximate_gelu, assert_shows, modules_of

pytestmark = pytest.mark.parity

XLNET, STREAMS = comparison_of("xlnet"), comparison_of("xlnet-two-streams")


def test_the_shift_of_three_by_three() -> None:
    scores = torch.arange(6.0).expand(1, 1, 3, 6)
    found = shift(scores, torch.arange(3)[None], queries=3, keys=3)
    assert found[0, 0].tolist() == [[3, 4, 5], [2, 3, 4], [1, 2, 3]]


@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (3, 3), (5, 9), (7, 32)])
def test_gathering_is_their_shift(queries: int, keys: int) -> None:
    from transformers.models.xlnet.modeling_xlnet import XLNetRelativeAttention

    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(2, 4, queries, keys + queries, generator=generator)
    theirs = XLNetRelativeAttention.rel_shift_bnij(scores, klen=keys)
    assert torch.equal(shift(scores, torch.arange(queries)[None], queries, keys), theirs)


def off_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = relative_attention.shift
    monkeypatch.setattr(
        relative_attention,
        "shift",
        lambda s, positions, q, k: whole(s, (positions - 1).abs(), q, k),
    )


def test_a_shift_that_is_off_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_shows(XLNET, lambda _model: off_by_one(monkeypatch), "first block")


def wider_phases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        relative_attention,
        "waves",
        lambda positions, width, interleaved, phases: waves(
            positions, width, interleaved=interleaved
        ),
    )


def test_phases_are_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    _, theirs = XLNET.pair()
    length = 512
    expected = theirs.transformer.relative_positional_encoding(length, length)[:, 0]

    def off() -> float:
        found = distances(length, length, 48, torch.device("cpu"))
        return float((found - expected).abs().max())

    assert off() <= 1e-6
    wider_phases(monkeypatch)
    assert off() > 1e-5


def same_and_other_swapped(model: Any) -> None:
    for one in modules_of(model, RelativeScore):
        one.segment_table.data = one.segment_table.data.flip(0)


def no_segment_term(model: Any) -> None:
    model.register_forward_pre_hook(lambda _model, inputs: (inputs[0], None, inputs[2]))


def swapped_biases(model: Any) -> None:
    for one in modules_of(model, RelativeScore):
        one.content_bias, one.position_bias = one.position_bias, one.content_bias


def segment_bias_left_out(model: Any) -> None:
    for one in modules_of(model, RelativeScore):
        one.segment_bias.data.zero_()


def unscaled(model: Any) -> None:
    for one in modules_of(model, RelativeScore):
        one.scale = 1.0


def swapped_norms(model: Any) -> None:
    for layer in modules_of(model, PermutationLayer):
        layer.attention_norm, layer.feed_forward_norm = (
            layer.feed_forward_norm,
            layer.attention_norm,
        )


@pytest.mark.parametrize(
    "broken",
    [
        same_and_other_swapped,
        no_segment_term,
        swapped_biases,
        segment_bias_left_out,
        unscaled,
        swapped_norms,
        approximate_gelu,
    ],
)
def test_breaking_a_term_shows(broken: Any) -> None:
    assert_shows(XLNET, broken, "first block")
    assert_shows(STREAMS, broken, "first content block")


def read(model: Any, ids: torch.Tensor, order: torch.Tensor) -> Any:
    targets = torch.arange(ids.shape[1])[None]
    with torch.inference_mode():
        return model.read_streams(ids, order=order[None], targets=targets)


def test_the_query_stream_does_not_see_its_own_token() -> None:
    ours, _ = STREAMS.pair()
    ids = torch.arange(10, 22)[None]
    rank = torch.randperm(12, generator=torch.Generator().manual_seed(2))
    order = rank[None, :] < rank[:, None]  # [query, key]
    before = read(ours, ids, order)
    for position in range(12):
        changed = ids.clone()
        changed[0, position] = 77
        after = read(ours, changed, order)
        # Exactly those that come later in the order notice. The very first one is left out: its
        # row is empty, and so all tokens mean the same to it.
        others = [at for at in range(12) if rank[at] > 0]
        same = [torch.equal(before.query[0, at], after.query[0, at]) for at in others]
        assert same == [bool(rank[at] <= rank[position]) for at in others]
        # Its own token is what the content stream has and the query stream lacks.
        assert not torch.equal(before.content[0, position], after.content[0, position])


def test_a_query_stream_that_sees_its_own_token_shows() -> None:
    ours, _ = STREAMS.pair()
    ids, everything = torch.arange(10, 22)[None], torch.ones(12, 12, dtype=torch.bool)
    before = read(ours, ids, everything)
    changed = ids.clone()
    changed[0, 4] = 77
    assert not torch.equal(before.query[0, 4], read(ours, changed, everything).query[0, 4])

    def sees_itself(model: Any) -> None:
        whole = model.read_streams
        eye = torch.eye(9, dtype=torch.bool)
        model.read_streams = lambda *inputs, order, **rest: whole(
            *inputs, order=order | eye, **rest
        )

    assert_shows(STREAMS, sees_itself, "first query block")


@pytest.mark.parametrize("kept", [1, 4, 9, 20])
def test_two_segments_of_a_text_with_the_memory_of_the_first(kept: int) -> None:
    ours, theirs = XLNET.pair()
    theirs.transformer.mem_len = kept
    first, second = XLNET.batch(101, 9).ids, XLNET.batch(101, 12).ids
    with torch.inference_mode():
        mine = ours.read_streams(first, memory_length=kept)
        other = theirs(input_ids=first, use_mems=True)
        for one, two in zip(mine.memory, other.mems, strict=True):
            torch.testing.assert_close(one, two.transpose(0, 1), atol=1e-5, rtol=0)
        with capture(["encoder.layers.*.attention.pattern"]) as trace:
            after = ours(second, memory=mine.memory, memory_length=kept)
        expected = theirs(input_ids=second, mems=other.mems, use_mems=True)
    memory = min(kept, 9)
    assert {record.value.shape[2:] for record in trace.records} == {(12, memory + 12)}
    torch.testing.assert_close(after.logits, expected.logits, atol=1e-5, rtol=0)
    for one, two in zip(after.memory, expected.mems, strict=True):
        assert one.shape[1] == min(kept, memory + 12)  # the memory moves on over both segments
        torch.testing.assert_close(one, two.transpose(0, 1), atol=1e-5, rtol=0)
    with torch.inference_mode():
        forgotten = ours(second).logits
    assert (forgotten - expected.logits).abs().max() > 0.05
