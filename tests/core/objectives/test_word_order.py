"""Shuffled trigrams: how many, where, in which orders; and StructBERT's whole loss."""

from collections import Counter
from itertools import permutations
from typing import cast

import pytest
import torch
from torch import Tensor, nn

from core.objectives.bert_pretraining import PairModel
from core.objectives.layouts import LAYOUTS
from core.objectives.pieces import Specials
from core.objectives.relations import Relation
from core.objectives.sentence_pairs import PairSampler
from core.objectives.word_order import (
    Shuffled,
    StructBatch,
    StructPretraining,
    shuffle_trigrams,
)
from core.training.corpora import TokenCorpus

IDS = torch.arange(1000, 1128).repeat(500, 1)


def shuffled(ids: Tensor, free: Tensor | None = None, seed: int = 0) -> Shuffled:
    free = torch.ones_like(ids, dtype=torch.bool) if free is None else free
    return shuffle_trigrams(ids, free, generator=torch.Generator().manual_seed(seed))


def trigrams(found: Shuffled, row: int) -> list[list[int]]:
    positions = found.positions[row][found.weights[row] > 0]
    return positions.view(-1, 3).tolist()


def test_five_per_cent_of_the_trigrams_are_shuffled_without_overlap() -> None:
    found = shuffled(IDS)
    for row in range(len(IDS)):
        chosen = trigrams(found, row)
        assert len(chosen) == round(0.05 * 126) == 6
        assert all(positions == list(range(positions[0], positions[0] + 3)) for positions in chosen)
        assert len({position for positions in chosen for position in positions}) == 18


def test_each_of_the_five_other_orders_is_equally_likely() -> None:
    found = shuffled(IDS)
    orders: Counter[tuple[int, ...]] = Counter()
    for row in range(len(IDS)):
        for positions in trigrams(found, row):
            orders[tuple((found.ids[row, positions] - IDS[row, positions[0]]).tolist())] += 1
    assert set(orders) == set(permutations(range(3))) - {(0, 1, 2)}
    shares = [count / orders.total() for count in orders.values()]
    assert shares == pytest.approx([0.2] * 5, abs=0.03)


def test_everything_else_stays_and_labels_are_the_originals() -> None:
    found = shuffled(IDS)
    touched = torch.zeros_like(IDS, dtype=torch.bool)
    touched.scatter_(1, found.positions, found.weights > 0)
    assert torch.equal(found.ids[~touched], IDS[~touched])
    assert torch.equal(found.labels, IDS.gather(1, found.positions))
    assert torch.equal(found.ids.sort(1).values, IDS), "the same tokens, in another order"


def test_no_trigram_holds_a_token_that_must_stay() -> None:
    free = torch.rand(IDS.shape, generator=torch.Generator().manual_seed(3)) > 0.15
    found = shuffled(IDS, free)
    real = found.weights > 0
    assert free.gather(1, found.positions)[real].all()
    expected = (0.05 * (free[:, :-2] & free[:, 1:-1] & free[:, 2:]).sum(1)).round()
    assert torch.equal(real.sum(1), 3 * expected.long())


def test_a_single_trigram_by_hand() -> None:
    free = torch.tensor([[False, True, True, True, False]])
    ids = torch.tensor([[1, 7, 8, 9, 2]])
    seen = {tuple(shuffled(ids, free, seed).ids[0].tolist()) for seed in range(60)}
    assert seen == {(1, *order, 2) for order in permutations((7, 8, 9))} - {(1, 7, 8, 9, 2)}
    nothing = shuffled(ids, free & False)
    assert nothing.ids.tolist() == ids.tolist()
    assert nothing.weights.sum() == 0


def test_positions_are_equally_likely() -> None:
    counts = torch.zeros(128)
    for seed in range(8):
        found = shuffled(IDS, seed=seed)
        counts += found.positions[found.weights > 0].bincount(minlength=128)
    middle = counts[4:-4]
    assert middle.min() > 0.85 * middle.mean()
    assert middle.max() < 1.15 * middle.mean()


def objective() -> StructPretraining:
    words = torch.randint(10, 500, (1200,), generator=torch.Generator().manual_seed(9))
    corpus = TokenCorpus(words.int(), torch.arange(0, 1201, 8), torch.arange(0, 1201, 40))
    specials = Specials(classify=1, separator=2, mask=3, padding=0)
    sampler = PairSampler(
        corpus, specials, torch.Generator().manual_seed(0), relation=Relation.STRUCTURE
    )
    return StructPretraining(sampler, torch.arange(10, 500), tokens=2048)


def test_hidden_words_are_not_shuffled_and_shuffled_ones_not_hidden() -> None:
    batch = objective().batch_of(LAYOUTS[0])
    assert isinstance(batch, StructBatch)
    hidden = batch.masked.positions[batch.masked.weights > 0]
    assert len(hidden) > 200
    for row in range(len(batch.masked.ids)):
        masked = set(batch.masked.positions[row][batch.masked.weights[row] > 0].tolist())
        moved = set(batch.shuffled.positions[row][batch.shuffled.weights[row] > 0].tolist())
        assert moved
        assert not masked & moved
    assert torch.equal(batch.masked.ids, batch.shuffled.ids)


class Known(nn.Module):
    """Stands in for a StructBERT: logits are the hidden states."""

    def __init__(self, hidden: Tensor, judged: Tensor) -> None:
        super().__init__()
        self.hidden, self.judged = hidden, judged

    def encode(self, ids: Tensor, segments: Tensor, keep: Tensor | None) -> Tensor:
        return self.hidden

    def score_words(self, hidden: Tensor) -> Tensor:
        return hidden

    def judge_pair(self, hidden: Tensor) -> Tensor:
        return self.judged


def test_the_three_losses_add_up() -> None:
    task = objective()
    batch = task.batch_of(LAYOUTS[2])
    assert isinstance(batch, StructBatch)
    rows, length = batch.masked.ids.shape
    hidden = torch.randn(rows, length, 500, generator=torch.Generator().manual_seed(1))
    judged = torch.randn(rows, 3, generator=torch.Generator().manual_seed(2))
    found = task.losses(cast(PairModel, Known(hidden, judged)), batch)
    likely = hidden.log_softmax(-1)

    def mean(part: Shuffled) -> float:
        row, position = (part.weights > 0).nonzero(as_tuple=True)
        return -float(likely[row, part.positions[row, position], part.labels[row, position]].mean())

    pairs = batch.follows >= 0
    assert 0 < int(pairs.sum()) < rows
    three = -judged.log_softmax(-1)[pairs].gather(1, batch.follows[pairs][:, None]).mean()
    expected = [mean(cast(Shuffled, batch.masked)), mean(batch.shuffled), float(three)]
    parts = [float(found[name]) for name in ("masked", "shuffled", "follows")]
    assert parts == pytest.approx(expected, rel=1e-5)
    assert float(found["loss"]) == pytest.approx(sum(expected), rel=1e-5)
