"""Operating points, ROC and precision-recall: against values worked by hand."""

import doctest

import numpy as np
import pytest
import torch

from core.analysis import operating_points as module
from core.analysis.operating_points import operating_points
from core.evaluation.replaced import area_under_curve


def test_the_worked_example_is_right():
    assert doctest.testmod(module).failed == 0


def test_the_points_are_those_worked_by_hand():
    # The example of scikit-learn's documentation; its points are these, by `>=` instead of `>`.
    found = operating_points([0.1, 0.4, 0.35, 0.8], [False, False, True, True])
    assert found.thresholds.tolist() == [0.8, 0.4, 0.35, 0.1, -np.inf]
    assert found.recall.tolist() == [0, 0.5, 0.5, 1, 1]
    assert found.false_positive_rate.tolist() == [0, 0, 0.5, 0.5, 1]
    np.testing.assert_allclose(found.precision, [np.nan, 1, 1 / 2, 2 / 3, 1 / 2])
    assert found.roc_area == pytest.approx(0.75)
    assert found.average_precision == pytest.approx(0.5 * 1 + 0.5 * 2 / 3)


def test_equal_scores_are_one_point():
    found = operating_points([0.5, 0.5, 0.5, 0.2, 0.9], [True, False, False, True, False])
    assert found.thresholds.tolist() == [0.9, 0.5, 0.2, -np.inf]
    assert found.hits.tolist() == [0, 0, 1, 2]
    assert found.alarms.tolist() == [0, 1, 3, 3]
    # (1/3 .. 1) under a line from 0 to 1/2, in a square of 1.
    assert found.roc_area == pytest.approx(2 / 3 * 1 / 4)
    assert found.average_precision == pytest.approx(0.5 * 1 / 4 + 0.5 * 2 / 5)


def test_each_point_is_what_its_threshold_calls():
    random = np.random.default_rng(0)
    scores, truth = random.integers(0, 12, 60) / 12, random.random(60) < 0.3
    found = operating_points(scores, truth)
    for at, threshold in enumerate(found.thresholds):
        called = scores > threshold
        assert found.hits[at] == (called & truth).sum()
        assert found.alarms[at] == (called & ~truth).sum()
    ranked = area_under_curve(torch.tensor(scores), torch.tensor(truth))
    assert found.roc_area == pytest.approx(ranked)


def test_scores_that_tell_all_and_nothing():
    truth = [True, True, False, False, False]
    best = operating_points([5, 4, 3, 2, 1], truth)
    assert (best.roc_area, best.average_precision) == (1, 1)
    same = operating_points([1, 1, 1, 1, 1], truth)
    assert same.roc_area == 0.5
    assert same.average_precision == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("scores", "truth", "said"),
    [
        ([0.1, 0.2], [True, True], "two kinds"),
        ([0.1, 0.2], [False, False], "two kinds"),
        ([], [], "two kinds"),
        ([0.1, np.nan], [True, False], "finite"),
        ([0.1], [True, False], "one an item"),
    ],
)
def test_what_has_no_curve_is_refused(scores, truth, said):
    with pytest.raises(ValueError, match=said):
        operating_points(scores, truth)
