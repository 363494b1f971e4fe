"""Heads that look at a token, and from it."""

import doctest

import numpy as np
import pytest

from core.analysis import heads_at
from core.analysis.heads_at import heads_from, heads_onto

MAPS = np.random.default_rng(0).dirichlet(np.ones(5), size=(2, 3, 5)).astype(np.float32)
SPECIAL = [True, False, False, False, True]


def test_the_worked_examples_are_right():
    assert doctest.testmod(heads_at).failed == 0


@pytest.mark.parametrize("special", [None, SPECIAL])
def test_heads_onto_a_token_by_the_mean_of_the_other_rows(special):
    found = heads_onto(MAPS, 2, special=special)
    rows = [0, 1, 3, 4] if special is None else [1, 3]
    assert len(found) == 6
    for one in found:
        column = MAPS[one.layer, one.head, :, 2]
        assert one.share == pytest.approx(column[rows].mean())
        assert one.weight == column[one.query] == column[rows].max()
        assert one.query in rows
    shares = [one.share for one in found]
    assert shares == sorted(shares, reverse=True)
    assert len({(one.layer, one.head) for one in found}) == 6


@pytest.mark.parametrize("special", [None, SPECIAL])
def test_heads_from_a_token_by_their_strongest_other_key(special):
    found = heads_from(MAPS, 2, special=special)
    keys = [0, 1, 3, 4] if special is None else [1, 3]
    for one in found:
        row = MAPS[one.layer, one.head, 2]
        assert one.weight == row[one.key] == row[keys].max()
        assert one.key in keys
    weights = [one.weight for one in found]
    assert weights == sorted(weights, reverse=True)
    assert len({(one.layer, one.head) for one in found}) == 6


def test_a_token_alone_has_no_heads():
    special = [True, True, False, True, True]
    assert heads_onto(MAPS, 2, special=special) == []
    assert heads_from(MAPS, 2, special=special) == []


@pytest.mark.parametrize("token", [-1, 5])
def test_a_token_outside_the_maps_is_refused(token):
    with pytest.raises(IndexError, match="5 tokens"):
        heads_onto(MAPS, token)


def test_marks_of_another_length_are_refused():
    with pytest.raises(ValueError, match="4 special marks"):
        heads_from(MAPS, 2, special=[False] * 4)
