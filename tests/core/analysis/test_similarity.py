"""Distances between heads."""

import doctest

import numpy as np
import pytest

from core.analysis import similarity
from core.analysis.similarity import distances_to, nearest_heads

MAPS = np.random.default_rng(0).dirichlet(np.ones(6), size=(3, 4, 5)).astype(np.float32)


def test_the_worked_example_is_right():
    assert doctest.testmod(similarity).failed == 0


def test_distances_are_those_of_the_definition():
    found = distances_to(MAPS, 1, 2)
    expected = np.abs(MAPS.astype(np.float64) - MAPS[1, 2]).sum(-1).mean(-1) / 2
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert found[1, 2] == 0


def test_heads_that_share_no_key_are_one_apart():
    maps = np.zeros((1, 2, 3, 4), dtype=np.float32)
    maps[0, 0, :, 1] = maps[0, 1, :, 3] = 1
    assert distances_to(maps, 0, 0).tolist() == [[0, 1]]


def test_only_the_marked_rows_count():
    rows = np.array([True, False, False, True, False])
    kept = distances_to(MAPS[:, :, rows], 0, 3)
    np.testing.assert_allclose(distances_to(MAPS, 0, 3, rows), kept, atol=1e-7)
    assert not distances_to(MAPS, 0, 3, np.zeros(5, dtype=bool)).any()


def test_the_nearest_come_first_and_never_the_head_itself():
    maps = MAPS.copy()
    maps[2, 0] = maps[1, 2]  # the same map in another layer
    maps[0, 3] = 0.9 * maps[1, 2] + 0.1 * maps[0, 3]
    found = nearest_heads(maps, 1, 2, count=3)
    assert [(one.layer, one.head) for one in found[:2]] == [(2, 0), (0, 3)]
    assert found[0].distance == 0
    assert found[0].distance < found[1].distance < found[2].distance
    everybody = nearest_heads(maps, 1, 2, count=100)
    assert len(everybody) == 11
    assert (1, 2) not in [(one.layer, one.head) for one in everybody]


@pytest.mark.parametrize(("layer", "head"), [(-1, 0), (3, 0), (0, -1), (0, 4)])
def test_a_head_outside_the_maps_is_refused(layer, head):
    with pytest.raises(IndexError, match="3 x 4"):
        nearest_heads(MAPS, layer, head, count=3)


def test_marks_of_another_length_are_refused():
    with pytest.raises(ValueError, match="5 rows"):
        distances_to(MAPS, 0, 0, np.ones(4, dtype=bool))
