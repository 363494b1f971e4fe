"""Dumbbells: two points a word, and the axis that fits them."""

import pytest

from app.figures.dumbbells import Dumbbell, DumbbellWords, dumbbells
from app.figures.theme import FigureTheme
from app.theme import LIGHT

WORDS = DumbbellWords("word", "p", "p, logarithmic", "at most {value}")
NEAR = (Dumbbell("road", (0.09, 0.03)), Dumbbell("<b>", (0.05, 0.096)))
FAR = (Dumbbell("road", (0.5, 0.002)), Dumbbell("wall", (0.0001, 0.25), (False, True)))


def layers(pairs, names=("A", "B")):
    return dumbbells(pairs, names, WORDS, FigureTheme()).to_dict()["layer"]


def test_a_word_is_a_line_from_one_probability_to_the_other_with_a_point_at_each():
    lines, points, targets = layers(NEAR)
    drawn = [(row["word"], row["left"], row["right"]) for row in lines["data"]["values"]]
    assert drawn == [("road", 0.09, 0.03), ("<b>", 0.05, 0.096)]
    ends = lines["encoding"]
    assert (ends["x"]["field"], ends["x2"]["field"]) == ("left", "right")
    found = [(row["word"], row["side"], row["value"]) for row in points["data"]["values"]]
    assert found == [("road", 0, 0.09), ("road", 1, 0.03), ("<b>", 0, 0.05), ("<b>", 1, 0.096)]
    # Orange on the left and blue on the right, as the maps, and never by colour alone.
    assert points["encoding"]["color"]["scale"]["range"] == [LIGHT.signal, LIGHT.accent]
    assert len(set(points["encoding"]["shape"]["scale"]["range"])) == 2
    assert lines["encoding"]["y"]["sort"] == ["road", "<b>"]
    assert targets["data"]["values"][0]["leftSaid"] == "0.09"
    assert [one["title"] for one in targets["encoding"]["tooltip"]] == ["word", "A", "B"]


def test_the_axis_is_logarithmic_where_probabilities_span_a_decade():
    near, far = (layers(pairs)[0]["encoding"]["x"] for pairs in (NEAR, FAR))
    assert near["title"] == "p"
    assert "scale" not in near
    assert far["title"] == "p, logarithmic"
    assert far["scale"]["type"] == "log"
    least, most = far["scale"]["domain"]
    assert least < 0.0001
    assert 0.5 < most <= 1
    assert far["axis"]["values"] == pytest.approx([0.0001, 0.001, 0.01, 0.1])
    # Zero has no logarithm.
    assert "scale" not in layers([Dumbbell("road", (0.5, 0.0))])[0]["encoding"]["x"]


def test_a_bound_is_hollow_and_said_as_one():
    _lines, known, bounds, targets = layers(FAR)
    assert known["transform"] == [{"filter": "datum.known"}]
    assert bounds["transform"] == [{"filter": "!datum.known"}]
    assert known["mark"]["filled"]
    assert bounds["mark"]["fill"] == LIGHT.card
    hollow = [row["word"] for row in bounds["data"]["values"] if not row["known"]]
    assert hollow == ["wall"]
    assert targets["data"]["values"][1]["leftSaid"] == "at most 0.0001"


def test_two_sides_of_one_name_keep_two_entries_in_the_legend():
    _lines, points, _targets = layers(NEAR, ('every "head"', 'every "head"'))
    assert points["encoding"]["color"]["scale"]["domain"] == [0, 1]
    label = points["encoding"]["color"]["legend"]["labelExpr"]
    assert label == r'["every \"head\"", "every \"head\""][datum.value]'


def test_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        layers(())
