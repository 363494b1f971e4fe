"""Learning rates and budgets."""

import pytest

from core.errors import ConfigError
from core.training.schedules import Budget, warm_up_then_linear


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
    assert warm_up_then_linear(progress, 0.2) == pytest.approx(factor)


def test_without_warm_up_it_starts_at_the_top() -> None:
    assert [warm_up_then_linear(at, 0.0) for at in (0.0, 0.5, 1.0)] == [1.0, 0.5, 0.0]


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
        (0, None, "at least 1 step, not 0"),
        (-3, None, "not -3"),
        (None, 0.0, "more than 0 seconds"),
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
