"""Spans: their lengths, whole words, one corruption each, room around them."""

import pytest
import torch
from torch import Tensor

from core.errors import ConfigError
from core.objectives.masking import MaskingRule
from core.objectives.span_masking import SpanLengths, SpanMasked, draw_spans, mask_spans

MASK, ORDINARY = 4, torch.arange(10, 1000)


def texts(rows: int = 600, length: int = 128, pieces: float = 0.25) -> tuple[Tensor, ...]:
    """Ids, ordinary tokens and continuations of random texts."""
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(10, 1000, (rows, length), generator=generator)
    ids[:, 0], ids[:, -1] = 2, 3
    ordinary = torch.ones_like(ids, dtype=torch.bool)
    ordinary[:, [0, -1]] = False
    return ids, ordinary, torch.rand(rows, length, generator=generator) < pieces


def hide(parts: tuple[Tensor, ...], seed: int = 0, rule: MaskingRule | None = None) -> SpanMasked:
    return mask_spans(
        *parts,
        rule=rule or MaskingRule(),
        lengths=SpanLengths(),
        mask_id=MASK,
        ordinary_ids=ORDINARY,
        generator=torch.Generator().manual_seed(seed),
    )


def spans_of(found: SpanMasked, row: int) -> list[tuple[int, int]]:
    """Start and end of each span, in the order they were placed."""
    number = found.spans.number[row]
    return [
        (int(found.spans.starts[row, k]), int(found.spans.ends[row, k]))
        for k in range(1, int(number.max()) + 1)
    ]


def test_lengths_are_geometric_brought_back_to_one() -> None:
    probabilities = SpanLengths().probabilities()
    assert probabilities.sum().item() == pytest.approx(1)
    assert probabilities[0].item() == pytest.approx(0.2 / (1 - 0.8**10), rel=1e-6)
    assert round(probabilities[0].item(), 3) == 0.224
    words = torch.arange(1, 11)
    assert (probabilities * words).sum().item() == pytest.approx(3.797, abs=1e-3)
    # Cutting longer spans to ten words instead would pile them up there.
    clipped = 0.2 * 0.8 ** torch.arange(10)
    clipped[-1] = 0.8**9
    assert (clipped * words).sum().item() == pytest.approx(4.463, abs=1e-3)


def test_drawn_lengths_have_these_probabilities() -> None:
    drawn = SpanLengths().draw(500, 100, torch.Generator().manual_seed(0))
    assert drawn.float().mean().item() == pytest.approx(3.80, abs=0.05)
    shares = drawn.flatten().bincount(minlength=11) / drawn.numel()
    assert shares[0] == 0
    torch.testing.assert_close(shares[1:], SpanLengths().probabilities(), atol=0.006, rtol=0)


def test_spans_in_a_text_keep_the_lengths_they_were_drawn_with() -> None:
    # The first five spans of a long text: the budget of 77 tokens cuts none of them short.
    parts = texts(rows=1000, length=512, pieces=0.0)
    found = hide(parts)
    sizes = [end - start for row in range(1000) for start, end in spans_of(found, row)[:5]]
    assert len(sizes) == 5000
    assert sum(sizes) / len(sizes) == pytest.approx(3.80, abs=0.12)
    assert max(sizes) == 10
    assert sizes.count(1) / len(sizes) == pytest.approx(0.224, abs=0.02)


@pytest.mark.parametrize(("length", "most"), [(20, 9), (128, 8), (512, 8)])
def test_fifteen_per_cent_are_hidden_and_the_last_word_is_finished(length: int, most: int) -> None:
    parts = texts(rows=200, length=length)
    hidden = hide(parts).masked.weights.sum(1)
    budget = round(0.15 * (length - 2))
    assert hidden.min() >= budget
    assert hidden.max() <= budget + most
    assert hidden.mean().item() == pytest.approx(budget + 0.3, abs=0.3)


def test_spans_are_whole_words_with_room_around_them() -> None:
    parts = texts()
    _, ordinary, continues = parts
    found = hide(parts)
    for row in range(200):
        taken = torch.zeros(128, dtype=torch.long)
        for start, end in spans_of(found, row):
            assert ordinary[row, start:end].all()
            assert not continues[row, start] or not ordinary[row, start - 1]
            assert not continues[row, end] or not ordinary[row, end]
            taken[start - 1 : end + 1] += 1
            taken[start:end] += 10
        assert not (taken > 11).any(), "no two spans overlap"
        assert not ((taken > 0) & (taken < 10)).logical_and(found.spans.number[row] > 0).any()


def test_all_of_a_span_has_one_corruption_in_80_10_10() -> None:
    parts = texts()
    found = hide(parts)
    corruptions = []
    for row in range(600):
        for start, end in spans_of(found, row):
            seen, original = found.masked.ids[row, start:end], parts[0][row, start:end]
            if (seen == MASK).all():
                corruptions.append("masked")
            elif torch.equal(seen, original):
                corruptions.append("kept")
            else:
                assert not (seen == MASK).any()
                corruptions.append("replaced")
    shares = [
        corruptions.count(corruption) / len(corruptions)
        for corruption in ("masked", "replaced", "kept")
    ]
    assert len(corruptions) > 2000
    assert shares == pytest.approx([0.8, 0.1, 0.1], abs=0.025)


def test_labels_boundaries_and_offsets_fit_the_positions() -> None:
    parts = texts(rows=50)
    ids, _, _ = parts
    found = hide(parts)
    masked = found.masked
    assert torch.equal(masked.ids.scatter(1, masked.positions, masked.labels), ids)
    for row in range(50):
        real = masked.weights[row] > 0
        positions = masked.positions[row][real].tolist()
        assert positions == sorted(
            position for start, end in spans_of(found, row) for position in range(start, end)
        )
        for index, position in enumerate(positions):
            start, end = next(s for s in spans_of(found, row) if s[0] <= position < s[1])
            assert int(found.left[row, index]) == start - 1
            assert int(found.right[row, index]) == end
            assert int(found.offset[row, index]) == position - start
            assert found.spans.number[row, start - 1] == 0 == found.spans.number[row, end]


def test_a_sentence_by_hand() -> None:
    # CLS a ##a b c SEP: two tokens of it are hidden at a share of 0.5.
    ordinary = torch.tensor([[False, True, True, True, True, False]])
    continues = torch.tensor([[False, False, True, False, False, False]])
    seen = set()
    for seed in range(200):
        spans = draw_spans(
            ordinary,
            continues,
            share=0.5,
            lengths=SpanLengths(longest=2),
            generator=torch.Generator().manual_seed(seed),
        )
        seen.add(tuple((spans.number[0] > 0).int().tolist()))
    assert seen == {
        (0, 1, 1, 0, 0, 0),  # the word of two pieces, alone or as the first of two
        (0, 0, 0, 1, 1, 0),  # both short words
        (0, 1, 1, 0, 1, 0),  # the last word first; then the share is reached by a whole word
        (0, 0, 0, 1, 0, 0),  # the middle word: nothing else leaves room beside it
    }


def test_padding_and_special_tokens_are_never_hidden() -> None:
    ids, ordinary, continues = texts(rows=100, length=64)
    ordinary[:, 30:] = False
    ordinary[:, 12] = False
    found = hide((ids, ordinary, continues))
    assert not (found.spans.number > 0)[~ordinary].any()
    assert torch.equal(found.masked.ids[~ordinary], ids[~ordinary])
    assert (found.masked.weights.sum(1) >= round(0.15 * 28)).all()


def test_a_text_without_words_has_no_span() -> None:
    nothing = torch.zeros(1, 3, dtype=torch.bool)
    found = hide((torch.tensor([[2, 3, 0]]), nothing, nothing))
    assert found.masked.weights.sum() == 0
    assert found.masked.ids.tolist() == [[2, 3, 0]]


def test_draws_repeat_with_their_seed() -> None:
    parts = texts(rows=4)
    assert torch.equal(hide(parts).masked.ids, hide(parts).masked.ids)
    assert not torch.equal(hide(parts).masked.ids, hide(parts, seed=1).masked.ids)


@pytest.mark.parametrize("numbers", [{"probability": 0.0}, {"probability": 1.0}, {"longest": 0}])
def test_lengths_that_are_none_are_refused(numbers: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match="span lengths"):
        SpanLengths(**numbers)  # type: ignore[arg-type]
