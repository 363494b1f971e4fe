"""The rule that turns losses into a verdict."""

import math

import pytest

from core.experiments.verdict import (
    Comparison,
    Outcome,
    Relation,
    SettingMeasure,
    TooFewSeedsError,
    judge,
)

A, B = SettingMeasure("a"), SettingMeasure("b")
BETTER = Comparison(A, Relation.BETTER, B, margin=0.1)
AS_GOOD = Comparison(A, Relation.AS_GOOD, B, margin=0.1)
INFINITE = math.inf


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ([1.0, 1.1, 1.2], [1.4, 1.5, 1.6], Outcome.REPRODUCED),
        ([1.0, 1.1, 1.2], [1.25, 1.5, 1.6], Outcome.NOT_HERE),  # apart, but by less than the margin
        ([1.0, 1.1, 1.5], [1.4, 1.5, 1.6], Outcome.NOT_HERE),  # one seed among the others
        ([1.4, 1.5, 1.6], [1.0, 1.1, 1.2], Outcome.CONTRARY),
        ([1.4, 1.5, 1.6], [1.0, 1.1, 1.35], Outcome.NOT_HERE),
        ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], Outcome.NOT_HERE),
        ([1.0, 1.1, 1.2], [INFINITE] * 3, Outcome.REPRODUCED),
        ([1.0, 1.1, INFINITE], [INFINITE] * 3, Outcome.NOT_HERE),
        ([INFINITE] * 3, [INFINITE] * 3, Outcome.NOT_HERE),
        ([INFINITE] * 3, [1.0, 1.1, 1.2], Outcome.CONTRARY),
    ],
)
def test_better_means_every_run_below_every_other(first, second, outcome):
    assert judge([BETTER], {A: first, B: second}).outcome is outcome


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ([1.0, 1.1, 1.2], [1.0, 1.1, 1.2], Outcome.REPRODUCED),
        ([1.0, 1.1, 1.3], [1.0, 1.1, 1.2], Outcome.REPRODUCED),  # within the margin of the worst
        ([1.0, 1.1, 1.4], [1.0, 1.1, 1.2], Outcome.NOT_HERE),
        ([0.1, 0.1, 0.1], [1.0, 1.1, 1.2], Outcome.REPRODUCED),  # better is as good
        ([1.4, 1.5, 1.6], [1.0, 1.1, 1.2], Outcome.CONTRARY),
        ([1.0, 1.1, INFINITE], [1.0, 1.1, INFINITE], Outcome.NOT_HERE),
        ([1.0, 1.1, 1.2], [1.0, 1.1, INFINITE], Outcome.REPRODUCED),
        ([INFINITE] * 3, [1.0, 1.1, 1.2], Outcome.CONTRARY),
    ],
)
def test_as_good_means_no_run_much_worse_than_the_worst(first, second, outcome):
    assert judge([AS_GOOD], {A: first, B: second}).outcome is outcome


def test_two_measures_of_the_same_runs_are_compared_run_by_run():
    last, mean = SettingMeasure("a"), SettingMeasure("a", "averaged_loss")
    claim = [Comparison(mean, Relation.BETTER, last)]
    losses = {last: [1.0, 2.0, 3.0], mean: [0.9, 1.9, 2.9]}
    assert judge(claim, losses).outcome is Outcome.REPRODUCED
    assert judge(claim, {last: losses[mean], mean: losses[last]}).outcome is Outcome.CONTRARY
    mixed = {last: [1.0, 2.0, 3.0], mean: [0.9, 2.0, 2.9]}
    assert judge(claim, mixed).outcome is Outcome.NOT_HERE


def test_a_claim_needs_all_its_parts_and_falls_with_one_that_is_reversed():
    c = SettingMeasure("c")
    more = Comparison(A, Relation.BETTER, c, margin=0.1)
    low, high, higher = [1.0] * 3, [2.0] * 3, [3.0] * 3
    assert judge([BETTER, more], {A: low, B: high, c: higher}).outcome is Outcome.REPRODUCED
    assert judge([BETTER, more], {A: low, B: high, c: low}).outcome is Outcome.NOT_HERE
    verdict = judge([BETTER, more], {A: high, B: higher, c: low})
    assert verdict.outcome is Outcome.CONTRARY
    assert [(one.holds, one.reversed) for one in verdict.compared] == [(True, False), (False, True)]
    assert verdict.compared[1].first == (2.0, 2.0, 2.0)


def test_nothing_is_said_of_too_few_runs_or_of_no_numbers():
    with pytest.raises(TooFewSeedsError, match=r"b \(loss\) was trained with 2 seeds"):
        judge([BETTER], {A: [1.0] * 3, B: [1.0] * 2})
    with pytest.raises(TooFewSeedsError, match="with 0 seeds"):
        judge([BETTER], {A: [1.0] * 3})
    with pytest.raises(ValueError, match="not a number"):
        judge([BETTER], {A: [1.0] * 3, B: [1.0, math.nan, 1.0]})
    with pytest.raises(ValueError, match="claims nothing"):
        judge([], {})
