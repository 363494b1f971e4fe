"""Pairs side by side with pairs of their width; smoothing by hand."""

import math
from collections import Counter

import pytest
import torch

from core.errors import ConfigError
from core.objectives.losses import IGNORED, token_loss
from core.objectives.translation import ParallelTexts, Translation
from core.training.corpora import CorpusError

END, PADDING, START = 1, 0, 2


def texts() -> ParallelTexts:
    """60 short pairs, 20 longer ones, one that is too long; the first token numbers the pair."""
    pairs = [([10 + n] * 3, [10 + n] * (1 + n % 7)) for n in range(60)]
    pairs += [([100 + n] * 9, [100 + n] * 11) for n in range(20)]
    pairs += [([200] * 70, [200] * 3)]
    return ParallelTexts.from_ids(pairs, end_id=END, padding_id=PADDING)


def task(smoothing: float = 0.1) -> Translation:
    return Translation(
        texts(),
        torch.Generator().manual_seed(0),
        tokens=96,
        start_id=START,
        padding_id=PADDING,
        smoothing=smoothing,
    )


def test_pairs_are_sorted_into_widths_and_too_long_ones_left_out() -> None:
    tables = texts()
    assert [tuple(table.shape) for table in tables.sources] == [(60, 10), (20, 12)]
    assert tables.sources[0][0].tolist() == [10, 10, 10, END, 0, 0, 0, 0, 0, 0]
    assert tables.source_sizes[0].tolist() == [4] * 60
    assert tables.target_sizes[1].tolist() == [12] * 20
    assert 200 not in torch.cat([table.flatten() for table in tables.sources])


def test_a_batch_holds_pairs_that_belong_together() -> None:
    batch = task().batch_of(0)
    assert batch.source.shape == (9, 10)
    assert batch.source_keep is not None
    for row in range(9):
        source = batch.source[row][batch.source_keep[row]]
        labels = batch.labels[row][batch.labels[row] != IGNORED]
        assert source[-1] == END == labels[-1]
        assert source[0] == labels[0]
        assert batch.inputs[row, 0] == START
        assert torch.equal(batch.inputs[row, 1 : len(labels)], labels[:-1])
        assert (batch.inputs[row, len(labels) + 1 :] == PADDING).all()


def test_every_pair_is_equally_likely_whatever_its_width() -> None:
    training = task()
    seen: Counter[int] = Counter()
    for step in range(3000):
        seen.update(training.batch(step).source[:, 0].tolist())
    assert len(seen) == 80
    short = sum(count for token, count in seen.items() if token < 100) / 60
    longer = sum(count for token, count in seen.items() if token >= 100) / 20
    assert short == pytest.approx(longer, rel=0.03)


def test_the_width_of_a_step_depends_on_nothing_else_and_shapes_change_no_batch() -> None:
    one, other = task(), task()
    assert [tuple(batch.source.shape) for batch in other.shapes()] == [(9, 10), (8, 12)]
    for step in range(6):
        assert torch.equal(one.batch(step).source, other.batch(step).source)


def test_smoothing_by_hand() -> None:
    # Four tokens, the right one with probability 0.7, the others 0.1: 0.1 is spread over all four.
    logits = torch.tensor([[0.7, 0.1, 0.1, 0.1]]).log()
    loss = token_loss(logits, torch.tensor([0]), smoothing=0.1)
    target = [0.925, 0.025, 0.025, 0.025]
    probabilities = [0.7, 0.1, 0.1, 0.1]
    expected = -sum(t * math.log(c) for t, c in zip(target, probabilities, strict=True))
    assert loss.total.item() == pytest.approx(expected, rel=1e-6)
    others_only = -(0.9 * math.log(0.7) + 0.1 * math.log(0.1))
    assert loss.total.item() != pytest.approx(others_only, rel=1e-3)
    assert task().smoothing == 0.1


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigError, match="smoothing"):
        task(smoothing=1.0)
    with pytest.raises(CorpusError, match="at most 64 tokens"):
        ParallelTexts.from_ids([([1] * 80, [1])], end_id=END, padding_id=PADDING)
