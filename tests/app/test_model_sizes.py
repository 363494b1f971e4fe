"""Bars of parameters: lengths, order, marks."""

import pytest

from app.figures.model_sizes import ModelParameters, ParameterWords, parameter_bars
from app.figures.theme import FigureTheme

WORDS = ParameterWords("parameters", "share", "model", "layers", "part", "published", "where")
PARTS = ("tables", "layers")
MODELS = (
    ModelParameters("large", "2 layers", (40, 60), (110.0, "a paper")),
    ModelParameters("small", "1 layer", (10, 0)),
)


def layers(**options):
    return parameter_bars(MODELS, PARTS, WORDS, FigureTheme(), **options).to_dict()["layer"]


def rows(layer):
    return layer["data"]["values"]


def test_bars_have_their_parts_with_shares_of_the_model():
    bars, _totals, _stated = layers()
    found = [(row["model"], row["part"], row["count"], row["share"]) for row in rows(bars)]
    assert found == [
        ("large", "tables", 40, 0.4),
        ("large", "layers", 60, 0.6),
        ("small", "tables", 10, 1.0),
    ]
    assert bars["encoding"]["y"]["sort"] == ["large", "small"]
    assert bars["encoding"]["color"]["scale"]["domain"] == list(PARTS)
    assert [one["field"] for one in bars["encoding"]["tooltip"]] == [
        "model",
        "sizes",
        "part",
        "count",
        "share",
    ]


def test_what_a_paper_states_is_marked_and_the_total_stands_beyond_it():
    _bars, totals, stated = layers()
    assert rows(stated) == [{"model": "large", "stated": 110.0, "source": "a paper"}]
    assert [(row["count"], row["end"]) for row in rows(totals)] == [(100, 110.0), (10, 10)]


def test_shares_are_of_one_length_and_have_no_marks():
    (bars,) = layers(shares=True)
    assert bars["encoding"]["x"]["scale"]["domain"] == [0, 1]


def test_a_model_with_other_parts_is_refused():
    with pytest.raises(ValueError, match="each part"):
        parameter_bars([ModelParameters("one", "", (1,))], PARTS, WORDS, FigureTheme())
