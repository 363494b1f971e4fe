"""The keys where heads rest."""

import doctest

import numpy as np
import pytest

from core.analysis import sinks
from core.analysis.sinks import find_sinks


def test_the_worked_example_is_right():
    assert doctest.testmod(sinks).failed == 0


def test_every_head_has_the_key_of_its_largest_mean():
    maps = np.random.default_rng(0).dirichlet(np.ones(9), size=(3, 4, 7)).astype(np.float32)
    found = find_sinks(maps)
    means = maps.astype(np.float64).mean(axis=2)
    np.testing.assert_array_equal(found.keys, means.argmax(-1))
    np.testing.assert_allclose(found.shares, means.max(-1), rtol=1e-6)
    assert found.keys.shape == found.shares.shape == (3, 4)
    assert len(np.unique(found.keys)) > 1


def test_rows_that_do_not_count_are_left_out():
    pattern = np.array([[0, 0, 1], [0, 0, 1], [0.6, 0.4, 0]], dtype=np.float32)[None, None]
    found = find_sinks(pattern, np.array([False, False, True]))
    assert found.keys.item() == 0
    assert found.shares.item() == pytest.approx(0.6)
    assert find_sinks(pattern, np.zeros(3, dtype=bool)).shares.item() == 0


def test_marks_of_another_length_are_refused():
    with pytest.raises(ValueError, match="3 rows"):
        find_sinks(np.zeros((1, 1, 3, 3), dtype=np.float32), np.ones(4, dtype=bool))
