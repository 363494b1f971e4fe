"""The probabilities of the next piece: by hand, and against transformers' processors."""

import math
from typing import Any

import pytest
import torch

from core.bounds import OutOfBoundsError
from core.decoding import GREEDY, Sampling, choose, next_token

HAND = torch.tensor([0.5, 0.2, 0.2, 0.1]).log()


@pytest.mark.parametrize(
    ("sampling", "expected"),
    [
        (Sampling(), [0.5, 0.2, 0.2, 0.1]),
        (Sampling(temperature=0.5), [25 / 34, 4 / 34, 4 / 34, 1 / 34]),
        (Sampling(top_k=2), [5 / 9, 2 / 9, 2 / 9, 0]),  # the third equals the second
        (Sampling(top_k=1), [1, 0, 0, 0]),
        (Sampling(top_k=9), [0.5, 0.2, 0.2, 0.1]),
        (Sampling(top_p=0.4), [1, 0, 0, 0]),
        (Sampling(top_p=0.6), [5 / 7, 2 / 7, 0, 0]),
        (Sampling(top_p=0.8), [5 / 9, 2 / 9, 2 / 9, 0]),
        (Sampling(top_p=1.0), [0.5, 0.2, 0.2, 0.1]),
        # Temperature, then k, then p: of 25, 4, 4 and 1 parts the first three stay, then two.
        (Sampling(temperature=0.5, top_k=2, top_p=0.8), [25 / 29, 4 / 29, 0, 0]),
        (GREEDY, [1, 0, 0, 0]),
    ],
    ids=str,
)
def test_by_hand(sampling: Sampling, expected: list[float]) -> None:
    torch.testing.assert_close(
        next_token(HAND, sampling), torch.tensor(expected, dtype=torch.float32)
    )


@pytest.mark.parity
@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("top_k", [None, 1, 5, 80])
@pytest.mark.parametrize("top_p", [None, 0.05, 0.7, 0.99])
def test_as_transformers_does(temperature: float, top_k: int | None, top_p: float | None) -> None:
    from transformers import LogitsProcessorList
    from transformers.generation import logits_process

    scores = 3 * torch.randn(20, 60, generator=torch.Generator().manual_seed(1))
    steps = LogitsProcessorList([logits_process.TemperatureLogitsWarper(temperature)])
    if top_k is not None:
        steps.append(logits_process.TopKLogitsWarper(top_k))
    if top_p is not None:
        steps.append(logits_process.TopPLogitsWarper(top_p))
    before: Any = torch.zeros(20, 1, dtype=torch.long)
    expected = steps(before, scores).softmax(-1)
    found = next_token(scores, Sampling(temperature, top_k, top_p))
    torch.testing.assert_close(found, expected)
    assert torch.equal(found > 0, expected > 0)


def test_forbidden_pieces_stay_forbidden() -> None:
    scores = HAND.clone()
    scores[0] = -math.inf
    for sampling in (Sampling(), Sampling(top_k=3), Sampling(top_p=0.9), GREEDY):
        found = next_token(scores, sampling)
        assert found[0] == 0
        assert found.sum() == pytest.approx(1)


def test_pieces_are_drawn_as_often_as_they_should_be() -> None:
    generator = torch.Generator().manual_seed(3)
    drawn = choose(HAND.expand(20_000, 4), Sampling(top_k=3), generator)
    shares = torch.bincount(drawn, minlength=4) / len(drawn)
    torch.testing.assert_close(shares, torch.tensor([5 / 9, 2 / 9, 2 / 9, 0]), atol=0.015, rtol=0)


def test_a_seed_gives_the_same_pieces_and_nothing_global_is_touched() -> None:
    scores, state = HAND.expand(50, 4), torch.get_rng_state()
    one, two, three = (
        choose(scores, Sampling(), torch.Generator().manual_seed(seed)) for seed in (5, 5, 6)
    )
    assert torch.equal(one, two)
    assert not torch.equal(one, three)
    assert torch.equal(torch.get_rng_state(), state)
    with pytest.raises(ValueError, match="generator"):
        choose(scores, Sampling())
    assert choose(scores).tolist() == [0] * 50


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": -0.1},
        {"temperature": math.nan},
        {"temperature": math.inf},
        {"temperature": 1e-40},
        {"temperature": 5e-324},
        {"temperature": 1e30},
        {"top_k": -1},
        {"top_k": 10**20},
        {"top_p": 5e-324},
        {"top_p": -0.5},
        {"top_k": 0},
        {"top_p": 0.0},
        {"top_p": 1.1},
        {"top_p": math.nan},
    ],
    ids=str,
)
def test_numbers_out_of_range_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(OutOfBoundsError, match=r"must be"):
        Sampling(**settings)  # type: ignore[arg-type]
