"""Sums and counts, by hand and against torch's own means."""

import math

import pytest
import torch
from torch.nn import functional

from core.objectives.losses import (
    IGNORED,
    LossSum,
    at_positions,
    binary_loss,
    mean_losses,
    token_loss,
)

LOGITS = torch.tensor([[0.0, 0.0], [math.log(3.0), 0.0]])  # probabilities 1/2, 1/2 and 3/4, 1/4


def test_the_right_token_costs_its_negative_logarithm() -> None:
    loss = token_loss(LOGITS, torch.tensor([1, 1]))
    assert loss.total.item() == pytest.approx(math.log(2) + math.log(4))
    assert loss.counted.item() == 2
    assert loss.mean().item() == pytest.approx(math.log(8) / 2)


def test_ignored_and_unweighted_positions_cost_nothing() -> None:
    assert token_loss(LOGITS, torch.tensor([IGNORED, 0])).total.item() == pytest.approx(
        math.log(4 / 3)
    )
    weighted = token_loss(LOGITS, torch.tensor([1, 0]), torch.tensor([2.0, 0.0]))
    assert weighted.total.item() == pytest.approx(2 * math.log(2))
    assert weighted.counted.item() == 2
    nothing = token_loss(LOGITS, torch.tensor([IGNORED, IGNORED]))
    assert nothing.counted.item() == 0
    assert nothing.mean().item() == 0


def test_smoothing_spreads_over_all_tokens_the_right_one_too() -> None:
    # Target of 0.1 smoothing over two tokens: 0.95 and 0.05.
    loss = token_loss(LOGITS[1:], torch.tensor([0]), smoothing=0.1)
    assert loss.total.item() == pytest.approx(-0.95 * math.log(0.75) - 0.05 * math.log(0.25))


def test_parts_add_up_to_the_whole_though_their_means_do_not() -> None:
    torch.manual_seed(0)
    logits, labels = torch.randn(7, 5), torch.randint(5, (7,))
    labels[1] = IGNORED
    parts = [token_loss(logits[:2], labels[:2]), token_loss(logits[2:], labels[2:])]
    whole = functional.cross_entropy(logits, labels, ignore_index=IGNORED)
    count = torch.stack([part.counted for part in parts]).sum()
    shares = [part.mean(count) for part in parts]
    torch.testing.assert_close(torch.stack(shares).sum(), whole)
    means = torch.stack([part.mean() for part in parts]).mean()
    assert abs(float(means - whole)) > 1e-2


def test_yes_or_no_by_hand() -> None:
    score = torch.tensor([math.log(3.0), math.log(3.0), 9.0])  # probability of yes: 3/4
    loss = binary_loss(score, torch.tensor([1, 0, 1]), torch.tensor([1, 1, 0]))
    assert loss.total.item() == pytest.approx(math.log(4 / 3) + math.log(4))
    assert loss.counted.item() == 2


def test_terms_are_weighted_after_their_division() -> None:
    terms = {
        "a": LossSum(torch.tensor(6.0), torch.tensor(3.0)),
        "b": LossSum(torch.tensor(5.0), torch.tensor(1.0)),
    }
    found = mean_losses(terms, {"b": 10.0})
    assert {name: value.item() for name, value in found.items()} == {"loss": 52, "a": 2, "b": 5}
    shared = mean_losses(terms, {}, {"a": torch.tensor(6.0), "b": torch.tensor(5.0)})
    assert shared["loss"].item() == 2


def test_only_the_positions_are_taken() -> None:
    hidden = torch.arange(12.0).view(1, 4, 3)
    assert at_positions(hidden, torch.tensor([[3, 0]])).tolist() == [[[9, 10, 11], [0, 1, 2]]]
