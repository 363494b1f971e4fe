"""Learning rates and budgets."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from core.errors import ConfigError
from core.training.schedules import Budget, Schedule, Shape, transformer_peak


class Clock:
    """A clock that stands still until somebody moves it."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("progress", "factor"),
    [(0.0, 0.0), (0.1, 0.5), (0.2, 1.0), (0.6, 0.5), (0.8, 0.25), (1.0, 0.0)],
)
def test_the_rate_rises_and_falls_in_straight_lines(progress: float, factor: float) -> None:
    assert Schedule(warm_up=0.2).factor(progress) == pytest.approx(factor)


def test_without_warm_up_it_starts_at_the_top() -> None:
    assert [Schedule(warm_up=0.0).factor(at) for at in (0.0, 0.5, 1.0)] == [1.0, 0.5, 0.0]


STEPS, WARM_UP = 40, 10


def reference(optimiser: torch.optim.Optimizer, shape: Shape, cycles: int) -> Any:
    """The same schedule in transformers."""
    from transformers import optimization as theirs

    make: dict[Shape, Callable[[], Any]] = {
        Shape.CONSTANT: lambda: theirs.get_constant_schedule_with_warmup(optimiser, WARM_UP),
        Shape.LINEAR: lambda: theirs.get_linear_schedule_with_warmup(optimiser, WARM_UP, STEPS),
        Shape.INVERSE_ROOT: lambda: theirs.get_inverse_sqrt_schedule(optimiser, WARM_UP),
        Shape.COSINE: lambda: theirs.get_cosine_with_hard_restarts_schedule_with_warmup(
            optimiser, WARM_UP, STEPS, cycles
        ),
    }
    return make[shape]()


@pytest.mark.parity
@pytest.mark.parametrize(
    ("shape", "cycles"), [*((shape, 1) for shape in Shape), (Shape.COSINE, 3), (Shape.COSINE, 5)]
)
def test_every_step_has_the_rate_that_transformers_gives_it(shape: Shape, cycles: int) -> None:
    optimiser = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=2.0)
    theirs = reference(optimiser, shape, cycles)
    ours = Schedule(shape, WARM_UP / STEPS, cycles)
    for step in range(STEPS):
        assert 2.0 * ours.factor(step / STEPS) == pytest.approx(theirs.get_last_lr()[0]), step
        optimiser.step()
        theirs.step()


def test_a_cosine_restarts_as_torchs_does() -> None:
    optimiser = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    theirs = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimiser, T_0=10)
    ours = Schedule(Shape.COSINE, warm_up=0.0, cycles=4)
    for step in range(STEPS):
        assert ours.factor(step / STEPS) == pytest.approx(theirs.get_last_lr()[0], abs=1e-12)
        optimiser.step()
        theirs.step()


@pytest.mark.parametrize(
    ("steps", "warm_up", "period", "growth"),
    [
        (9_600, 0, 3_200, 1),
        (997, 0, 7, 1),
        (1_000, 0, 10, 2),
        (5_000, 0, 1, 3),
        (997, 0, 997, 2),
        (10_000, 400, 3_200, 1),
        (1_000, 40, 64, 2),
        (997, 31, 13, 3),
        (997, 31, 966, 1),
    ],
)
def test_half_waves_of_any_length_restart_as_torchs_do(
    steps: int, warm_up: int, period: int, growth: int
) -> None:
    optimiser = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    theirs = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimiser, period, growth)
    ours = Schedule(Shape.COSINE, warm_up / steps, period=period / steps, growth=growth)
    restarts = []
    for step in range(warm_up, steps):
        rate = theirs.get_last_lr()[0]
        assert ours.factor(step / steps) == pytest.approx(rate, abs=1e-9), step
        if step > warm_up and theirs.T_cur == 0:
            restarts.append(step)
        optimiser.step()
        theirs.step()
    assert ours.restarts() == pytest.approx([step / steps for step in restarts])


def test_half_waves_that_fill_the_run_grow_as_they_should() -> None:
    schedule = Schedule(Shape.COSINE, 0.25, cycles=2, growth=2)
    at = [0.25, 0.375, 0.4999999, 0.5, 0.75, 1.0]
    assert [schedule.factor(one) for one in at] == pytest.approx([1, 0.5, 0, 1, 0.5, 0], abs=1e-9)
    assert schedule.restarts() == (0.5,)


def test_a_half_wave_that_the_run_cuts_off_does_not_end_at_nothing() -> None:
    schedule = Schedule(Shape.COSINE, 0.0, period=0.4)
    assert schedule.factor(1.0) == pytest.approx(0.5)
    assert Schedule(Shape.COSINE, 0.0, period=0.25).factor(1.0) == 0.0


@pytest.mark.parametrize("step", [1, 2, 3_999, 4_000, 4_001, 99_999, 100_000])
def test_the_inverse_root_is_the_transformers_formula(step: int) -> None:
    width, warm_up, steps = 512, 4_000, 100_000
    paper = width**-0.5 * min(step**-0.5, step * warm_up**-1.5)
    factor = Schedule(Shape.INVERSE_ROOT, warm_up / steps).factor(step / steps)
    assert transformer_peak(width, warm_up) * factor == pytest.approx(paper, rel=1e-12)


def test_the_corners_of_every_shape() -> None:
    def corners(shape: Shape, cycles: int = 1) -> list[float]:
        schedule = Schedule(shape, 0.25, cycles)
        return [schedule.factor(progress) for progress in (0.0, 0.25, 0.625, 1.0)]

    assert corners(Shape.CONSTANT) == [0.0, 1.0, 1.0, 1.0]
    assert corners(Shape.LINEAR) == [0.0, 1.0, 0.5, 0.0]
    assert corners(Shape.INVERSE_ROOT) == [0.0, 1.0, math.sqrt(0.4), 0.5]
    assert corners(Shape.COSINE) == pytest.approx([0.0, 1.0, 0.5, 0.0])
    assert corners(Shape.COSINE, 2) == [0.0, 1.0, 1.0, 0.0], "the second wave starts at the top"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"warm_up": 1.0}, "warm-up must be from 0 to 0.999999, not 1.0"),
        ({"warm_up": -0.1}, "not -0.1"),
        ({"warm_up": float("nan")}, "not nan"),
        ({"shape": Shape.INVERSE_ROOT, "warm_up": 0.0}, "needs a warm-up"),
        ({"cycles": 0}, "half waves must be from 1 to 100, not 0"),
        ({"period": 0.0}, r"half wave must be in \(0, 1\], not 0.0"),
        ({"period": 1.5}, "not 1.5"),
        ({"period": float("nan")}, "not nan"),
        ({"period": 0.5, "cycles": 2}, "either a number or a length"),
        ({"growth": 0}, "growth of half waves must be from 1 to 10, not 0"),
    ],
)
def test_schedules_that_make_no_sense_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Schedule(**changes)


def test_progress_by_steps_ignores_the_clock() -> None:
    clock = Clock()
    budget = Budget(steps=8, clock=clock)
    clock.now += 1_000
    assert [budget.progress(step) for step in (0, 4, 8, 9)] == [0.0, 0.5, 1.0, 1.0]


def test_progress_by_seconds_counts_earlier_runs_but_not_what_came_before_the_start() -> None:
    clock = Clock()
    budget = Budget(seconds=40.0, spent=10.0, clock=clock)
    clock.now += 500  # compilation
    budget.start()
    assert budget.elapsed == 10.0
    assert budget.progress(3) == 0.25
    clock.now += 10
    assert budget.elapsed == 20.0
    assert budget.progress(3) == 0.5
    clock.now += 100
    assert budget.progress(3) == 1.0


@pytest.mark.parametrize(
    ("steps", "seconds", "said"),
    [
        (None, None, "either by steps or by seconds"),
        (5, 5.0, "either by steps or by seconds"),
        (0, None, "steps must be from 1 to 1,000,000,000, not 0"),
        (-3, None, "not -3"),
        (None, 0.0, "seconds of a run must be from 0.001"),
        (None, -1.0, "not -1.0"),
        (None, float("nan"), "not nan"),
        (None, float("inf"), "not inf"),
    ],
)
def test_a_budget_that_is_never_spent_is_refused(
    steps: int | None, seconds: float | None, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        Budget(steps, seconds)
