"""Measures of rows whose numbers are known."""

import doctest

import numpy as np
import pytest

from core.analysis import rows
from core.analysis.rows import entropy_bits, measure_rows

SPECIAL = [True, False, False, False, True]


def test_the_worked_examples_are_right():
    assert doctest.testmod(rows).failed == 0


def test_one_row_measured_by_hand():
    row = np.array([[0.125, 0.5, 0.0, 0.125, 0.25]], dtype=np.float32)
    found = measure_rows(row, [2], SPECIAL)
    assert found.sum == 1
    assert found.entropy == pytest.approx(0.375 + 0.5 + 0.375 + 0.5)
    assert found.most_entropy == pytest.approx(np.log2(5))
    assert found.distance == pytest.approx(0.125 * 2 + 0.5 + 0.125 + 0.25 * 2)
    assert (found.first, found.separators) == (0.125, 0.25)


def test_several_rows_give_the_mean_of_each_measure():
    random = np.random.default_rng(0)
    both = random.dirichlet(np.ones(5), size=2)
    found = measure_rows(both, [1, 3], SPECIAL)
    single = [measure_rows(both[at : at + 1], [query], SPECIAL) for at, query in ((0, 1), (1, 3))]
    for name, value in vars(found).items():
        assert value == pytest.approx(np.mean([getattr(one, name) for one in single])), name


def test_a_first_token_that_is_not_special_is_still_the_first():
    found = measure_rows(np.array([[0.75, 0.25]]), [1], [False, True])
    assert (found.first, found.separators) == (0.75, 0.25)


def test_entropy_is_that_of_the_definition_and_never_more_than_its_most():
    maps = np.random.default_rng(1).dirichlet(np.full(40, 0.2), size=(2, 7)).astype(np.float32)
    expected = -(maps * np.log2(np.maximum(maps, 1e-38))).sum(-1)
    np.testing.assert_allclose(entropy_bits(maps), expected, rtol=1e-5)
    assert entropy_bits(maps).max() < np.log2(40)


@pytest.mark.parametrize(
    ("shape", "queries", "keys"), [((1, 5), 2, 5), ((1, 5), 1, 4), ((0, 5), 0, 5), ((5,), 1, 5)]
)
def test_lengths_that_disagree_are_refused(shape, queries, keys):
    with pytest.raises(ValueError, match="do not fit"):
        measure_rows(np.zeros(shape), [0] * queries, [False] * keys)


def test_a_row_that_may_not_see_everything_has_less_entropy_to_reach():
    rows = np.array([[1.0, 0, 0, 0], [0.5, 0.5, 0, 0]])
    later = np.triu(np.ones((4, 4), dtype=bool), 1)
    found = measure_rows(rows, [0, 1], [False] * 4, later[:2])
    assert (found.entropy, found.most_entropy) == (0.5, 0.5)
    blind = measure_rows(rows[:1], [0], [False] * 4, np.ones((1, 4), dtype=bool))
    assert blind.most_entropy == 0
