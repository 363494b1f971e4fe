"""Roles of heads on maps whose shares are known."""

import doctest

import numpy as np
import pytest

from core.analysis import roles
from core.analysis.roles import (
    broadness,
    column_cells,
    entropy,
    notable_heads,
    offset_cells,
    repeated_cells,
    share_on,
)

TOKENS = ["[CLS]", "the", "cat", "saw", "the", ".", "[SEP]"]
SPECIAL = [True, False, False, False, False, False, True]
COUNT = len(TOKENS)
UNIFORM = np.full((COUNT, COUNT), 1 / COUNT)


def looks_at(targets):
    """A map whose row `query` looks at `targets[query]` alone."""
    pattern = np.zeros((COUNT, COUNT))
    pattern[np.arange(COUNT), targets] = 1.0
    return pattern


def in_one_layer(*maps):
    return np.stack(maps)[None]


def found(*maps):
    heads = notable_heads(in_one_layer(*maps), SPECIAL, TOKENS)
    return {head.role: (head.layer, head.head, round(head.share, 3)) for head in heads}


def test_the_worked_examples_are_right():
    assert doctest.testmod(roles).failed == 0


def test_a_share_is_the_mean_over_rows_that_can_play_the_role():
    pattern = np.array([[0.2, 0.8, 0.0], [0.1, 0.3, 0.6], [0.5, 0.25, 0.25]])[None, None]
    assert share_on(pattern, offset_cells(3, 1)) == pytest.approx((0.8 + 0.6) / 2)
    assert share_on(pattern, offset_cells(3, 0)) == pytest.approx((0.2 + 0.3 + 0.25) / 3)
    ends = np.array([True, False, True])
    assert share_on(pattern, column_cells(ends)) == pytest.approx((0.2 + 0.7 + 0.75) / 3)
    assert share_on(pattern, repeated_cells(["a", "b", "b"])) == pytest.approx((0.6 + 0.25) / 2)
    assert share_on(pattern, repeated_cells(["a", "b", "c"])) == 0


def test_entropy_is_zero_for_one_token_and_the_logarithm_for_all():
    pattern = in_one_layer(looks_at([0] * COUNT), UNIFORM)
    assert entropy(pattern)[0, 0] == pytest.approx(np.zeros(COUNT))
    assert entropy(pattern)[0, 1] == pytest.approx(np.full(COUNT, np.log(COUNT)))


def test_broadness_counts_only_the_marked_rows():
    half = UNIFORM.copy()
    half[0] = np.eye(COUNT)[0]
    rows = np.arange(COUNT) > 0
    assert broadness(in_one_layer(half), rows)[0, 0] == pytest.approx(1.0)
    assert broadness(in_one_layer(half), ~rows)[0, 0] == pytest.approx(1 / COUNT)
    assert broadness(in_one_layer(half), np.zeros(COUNT, dtype=bool)) == 0


@pytest.mark.parametrize(
    ("role", "targets"),
    [
        ("previous", [6, 6, 1, 2, 3, 4, 6]),
        ("next", [6, 2, 3, 4, 5, 6, 6]),
        ("itself", [6, 1, 2, 3, 4, 5, 6]),
        ("first", [6, 0, 0, 0, 0, 0, 6]),
        ("separator", [0, 6, 6, 6, 6, 6, 0]),
        ("punctuation", [0, 5, 5, 5, 5, 5, 0]),
        ("repeated", [0, 4, 0, 6, 1, 0, 0]),
    ],
)
def test_each_role_is_found_in_the_head_that_plays_it(role, targets):
    heads = found(UNIFORM, looks_at(targets))
    assert heads[role] == (0, 1, 1.0)
    assert heads.keys() == {role, "broad"}


def test_of_two_heads_the_stronger_is_named():
    back = looks_at([6, 6, 1, 2, 3, 4, 6])
    mixed = 0.6 * back + 0.4 * UNIFORM
    patterns = np.stack([[mixed, UNIFORM], [UNIFORM, back]])
    best = notable_heads(patterns, SPECIAL, TOKENS)[0]
    assert (best.role, best.layer, best.head, best.share) == ("previous", 1, 1, 1.0)


def test_an_unconvincing_share_is_not_named():
    back = looks_at([6, 6, 1, 2, 3, 4, 6])
    share = 0.4 + 0.6 / COUNT
    assert share < roles.CONVINCING
    assert "previous" not in found(0.4 * back + 0.6 * UNIFORM)
    assert "previous" in found(0.5 * back + 0.5 * UNIFORM)


def test_special_rows_do_not_count():
    assert "first" not in found(looks_at([0, 6, 6, 6, 6, 6, 0]))


def test_a_text_too_short_to_tell_the_roles_apart_names_none():
    patterns = np.eye(5)[None, None]
    tokens = ["[CLS]", "a", "b", "c", "[SEP]"]
    assert notable_heads(patterns, [True, False, False, False, True], tokens) == []


def test_lengths_that_disagree_are_refused_with_the_numbers():
    with pytest.raises(ValueError, match="6 tokens and 7 special marks do not fit maps of 7 x 7"):
        notable_heads(UNIFORM[None, None], SPECIAL, TOKENS[:6])
