"""The working of a score on paper ends with the number that the model's own module gives."""

import numpy as np
import pytest

from app.sections.alignment.workings import (
    RECIPES,
    context_line,
    key_lines,
    number,
    shared_lines,
    weight_line,
)
from core.analysis.alignment_steps import work_out
from core.recurrent_config import Alignment

QUERY = np.array([1.0, 0.0])
KEYS = np.array([[3.0, 4.0], [1.0, 0.0], [-1.0, 2.0]])
W = np.array([[1.0, 1.0], [0.0, 1.0]])
GIVEN = {
    Alignment.ADDITIVE: {"W": W, "U": W / 2, "v": np.array([1.0, -1.0])},
    Alignment.GENERAL: {"W": W},
    Alignment.LOCATION: {"L": np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])},
}


def lines(kind, at, query=QUERY, keys=KEYS):
    given = GIVEN.get(kind, {})
    return key_lines(work_out(kind, query, keys, given), at, query, keys, given)


def evaluated(text):
    """What the sums and products of a side come to; a vector is left alone."""
    written = text.replace("·", "*").replace("\N{MINUS SIGN}", "-")
    return eval(written, {"__builtins__": {}})  # noqa: S307 - our own digits


@pytest.mark.parametrize("kind", list(Alignment))
def test_every_last_line_is_true_and_ends_with_the_score(kind):
    scores = work_out(kind, QUERY, KEYS, GIVEN.get(kind, {})).scores
    for at, score in enumerate(scores):
        *_before, working, result = lines(kind, at)[-1].split(" = ")
        assert result == number(float(score))
        # The numbers on the way are rounded to three decimals.
        assert evaluated(working) == pytest.approx(float(score), abs=3e-3)


def test_the_lectures_example():
    assert lines(Alignment.DOT, 0) == ["1·3 + 0·4 = 3"]
    assert lines(Alignment.CONTENT, 0) == [
        "s · h₁ = 1·3 + 0·4 = 3",
        "|s| |h₁| = 1 · 5 = 5",
        "3 / 5 = 0.6",
    ]
    assert lines(Alignment.SCALED_DOT, 0) == ["1·3 + 0·4 = 3", "3 / 1.414 = 2.121"]
    assert lines(Alignment.GENERAL, 0) == ["W h₁ = (7, 4)", "1·7 + 0·4 = 7"]


def test_the_location_score_names_no_state():
    worked = work_out(Alignment.LOCATION, QUERY, KEYS, GIVEN[Alignment.LOCATION])
    assert "No state h counts" in shared_lines(worked)[0]
    assert not any("h" in line for at in range(3) for line in lines(Alignment.LOCATION, at))


def test_a_state_without_length_scores_nothing():
    assert lines(Alignment.CONTENT, 0, keys=np.zeros((1, 2)))[-1] == "no length, so 0"


def test_weights_and_context():
    worked = work_out(Alignment.DOT, QUERY, KEYS)
    assert weight_line(worked) == "weight of h₁: e^(3 − 3) / Σ = 1 / 1.154 = 0.867"
    assert context_line(worked) == "c = 0.867·h₁ + 0.117·h₂ + 0.016·h₃ = (2.702, 3.499)"


def test_every_score_has_a_recipe_with_both_names():
    assert RECIPES.keys() == set(Alignment)
    assert RECIPES[Alignment.ADDITIVE].formula("sₜ", "hⱼ") == "v · tanh(W sₜ + U hⱼ)"


@pytest.mark.parametrize(
    ("value", "written"),
    [(3.0, "3"), (2.1213, "2.121"), (-0.5, "−0.5"), (-0.0001, "0"), (0.0, "0"), (100.0, "100")],
)
def test_numbers_are_short(value, written):
    assert number(value) == written
