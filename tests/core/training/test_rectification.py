"""RAdam's rectification term, beside the paper's formula and torch's steps."""

import math
from itertools import pairwise

import pytest
import torch
from torch import nn

from core.errors import ConfigError
from core.training.rectification import (
    degrees_of_freedom,
    most_degrees_of_freedom,
    rectification,
)


def torch_steps(beta: float, steps: int) -> list[float]:
    """How far torch's RAdam goes at every step when each gradient is 1."""
    weight = nn.Parameter(torch.zeros(1, dtype=torch.float64))
    optimiser = torch.optim.RAdam([weight], lr=1.0, betas=(0.9, beta), eps=0.0)
    lengths = []
    for _ in range(steps):
        before = float(weight.detach())
        weight.grad = torch.ones_like(weight)
        optimiser.step()
        lengths.append(before - float(weight.detach()))
    return lengths


@pytest.mark.parametrize("beta", [0.9, 0.98, 0.99, 0.999, 0.9999])
def test_torchs_radam_goes_as_far_as_the_term_says(beta: float) -> None:
    lengths = torch_steps(beta, 200)
    for step, length in enumerate(lengths, start=1):
        if degrees_of_freedom(step, beta) > 5.0:  # torch's own border
            assert length == pytest.approx(rectification(step, beta), rel=1e-7), step
        else:
            assert length == pytest.approx(1.0), "momentum alone"


@pytest.mark.parametrize("beta", [0.9, 0.98, 0.999, 0.9999])
def test_fewer_than_five_steps_give_no_adaptive_step(beta: float) -> None:
    # With a decay of 0.9 the fourth average weighs less than four gradients, the fifth more.
    assert [rectification(step, beta) for step in range(1, 5)] == [None] * 4
    fifth = rectification(5, beta)
    assert fifth is not None
    assert 0.0 < fifth < 0.3


def test_the_degrees_of_freedom_are_those_of_the_paper() -> None:
    assert degrees_of_freedom(1, 0.999) == pytest.approx(1.0), "one gradient"
    assert degrees_of_freedom(2, 0.5) == pytest.approx(3.0 - 2 * 2 * 0.25 / 0.75)
    assert most_degrees_of_freedom(0.999) == pytest.approx(1999.0)
    assert degrees_of_freedom(10**6, 0.999) == pytest.approx(1999.0)


def test_the_term_is_the_root_of_the_ratio_of_variances() -> None:
    def variance(freedom: float) -> float:  # section 4.2, up to a factor
        return freedom / ((freedom - 2.0) * (freedom - 4.0))

    for step in (5, 6, 50, 5_000):
        ratio = variance(most_degrees_of_freedom(0.999)) / variance(degrees_of_freedom(step, 0.999))
        assert rectification(step, 0.999) == pytest.approx(math.sqrt(ratio))


def test_the_term_rises_to_one() -> None:
    terms = [rectification(step, 0.999) for step in range(5, 20_000)]
    values = [term for term in terms if term is not None]
    assert len(values) == len(terms)
    # In the end by less than the numbers can say.
    assert all(after > before - 1e-9 for before, after in pairwise(values))
    assert values[-1] == pytest.approx(1.0, abs=1e-6)
    assert max(values) <= 1.0 + 1e-9


def test_with_a_short_memory_no_step_is_adaptive() -> None:
    assert most_degrees_of_freedom(0.6) == pytest.approx(4.0)
    assert all(rectification(step, 0.5) is None for step in (1, 10, 1_000))


@pytest.mark.parametrize(
    ("step", "beta", "said"),
    [(0, 0.9, "none of number 0"), (5, 0.0, "not 0.0"), (5, 1.0, "not 1.0"), (5, 1.5, "not 1.5")],
)
def test_what_makes_no_sense_is_refused(step: int, beta: float, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        rectification(step, beta)
