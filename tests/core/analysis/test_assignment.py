"""The best assignment, against trying every one."""

from itertools import permutations

import numpy as np
import pytest

from core.analysis.assignment import best_assignment


def total(scores: np.ndarray, columns: list[int]) -> float:
    return float(scores[np.arange(len(columns)), columns].sum())


def test_the_example_by_hand() -> None:
    assert best_assignment(np.array([[9.0, 8.0], [8.0, 1.0]])) == [1, 0]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("ties", [False, True])
def test_no_other_assignment_scores_more(size: int, ties: bool) -> None:
    generator = np.random.default_rng(size)
    for _ in range(30):
        scores = generator.normal(size=(size, size)) * 3
        scores = scores.round() if ties else scores
        found = best_assignment(scores)
        assert sorted(found) == list(range(size))
        best = max(total(scores, list(columns)) for columns in permutations(range(size)))
        assert total(scores, found) == pytest.approx(best)


def test_a_constant_for_a_row_changes_nothing() -> None:
    scores = np.random.default_rng(0).normal(size=(40, 40))
    assert best_assignment(scores) == best_assignment(scores + np.arange(40)[:, None] * 100.0)


def test_nothing_is_assigned_to_nobody() -> None:
    assert best_assignment(np.zeros((0, 0))) == []
