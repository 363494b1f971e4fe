"""Measures of heads whose numbers are known."""

import doctest

import numpy as np
import pytest

from core.analysis import heads
from core.analysis.heads import measure_heads, telling_rows

CAUSAL = np.triu(np.ones((4, 4), dtype=np.bool_), k=1)
NOTHING = np.zeros((4, 4), dtype=np.bool_)


def test_the_worked_examples_are_right():
    assert doctest.testmod(heads).failed == 0


def test_rows_of_special_tokens_of_padding_and_of_one_key_do_not_count():
    added = [True, False, False, True]
    assert telling_rows(added, NOTHING).tolist() == [False, True, True, False]
    assert telling_rows([False] * 4, CAUSAL).tolist() == [False, True, True, True]
    padded = NOTHING.copy()
    padded[3] = True  # padding sees nothing
    assert telling_rows([False] * 4, padded).tolist() == [True, True, True, False]
    with pytest.raises(ValueError, match="2 special marks"):
        telling_rows([True, False], CAUSAL)


def test_three_heads_by_hand():
    previous = np.eye(4, k=-1)
    previous[0, 0] = 1
    uniform = np.full((4, 4), 0.25)
    resting = np.zeros((4, 4))
    resting[:, 0] = 1
    patterns = np.stack([previous, uniform, resting])[None].astype(np.float32)
    found = measure_heads(patterns, np.array([False, True, True, True]))
    assert found.distance.shape == (1, 3)
    # Uniform rows 1, 2, 3: (1+0+1+2)/4, (2+1+0+1)/4, (3+2+1+0)/4.
    np.testing.assert_allclose(found.distance[0], [1, (1 + 1 + 1.5) / 3, 2])
    np.testing.assert_allclose(found.entropy[0], [0, 2, 0])
    np.testing.assert_allclose(found.first[0], [1 / 3, 0.25, 1])


def test_across_two_texts_the_distance_is_between_places_in_them():
    # Three queries over two keys: along the diagonal, and always the last key.
    diagonal = [[1, 0], [0.5, 0.5], [0, 1]]
    last = [[0, 1]] * 3
    found = measure_heads(np.array([[diagonal, last]]), np.ones(3, np.bool_), across=True)
    np.testing.assert_allclose(found.distance[0], [0.5 / 3, (1 + 0.5 + 0) / 3])
    np.testing.assert_allclose(found.entropy[0], [1 / 3, 0])


def test_what_a_row_that_does_not_count_holds_changes_nothing():
    random = np.random.default_rng(0)
    patterns = random.dirichlet(np.ones(4), size=(2, 3, 4))
    rows = np.array([True, False, True, True])
    expected = measure_heads(patterns, rows)
    patterns[:, :, 1] = np.nan
    for one, other in zip(measure_heads(patterns, rows), expected, strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.shape == (2, 3)


def test_without_a_row_there_is_nothing_to_measure():
    with pytest.raises(ValueError, match="at least one"):
        measure_heads(np.ones((1, 1, 2, 2)) / 2, np.zeros(2, np.bool_))
