"""Lines of ranks by layer."""

import pytest

from app.figures.ranks import RankedWord, RankWords, rank_lines
from app.figures.theme import FigureTheme
from app.theme import LIGHT

WORDS = RankWords("layer", "rank", "puts first")
BIG = RankedWord("big", False, (30_000, 20, 1), (1e-9, 0.001, 0.25))
TIRED = RankedWord("tired (hidden)", True, (400, 30, 2), (1e-5, 0.0005, 0.125))
SAID = ("##ina", 'a "word"]', "big")


def layers(*ranked):
    return rank_lines(ranked, SAID, WORDS, FigureTheme()).to_dict()["layer"]


def test_rank_one_is_at_the_top_of_a_logarithmic_axis():
    lines, _targets = layers(BIG, TIRED)
    y = lines["encoding"]["y"]
    assert (y["scale"]["type"], y["scale"]["reverse"]) == ("log", True)
    assert y["scale"]["domain"] == [1, 30_000]
    assert y["axis"]["values"] == [1, 10, 100, 1000, 10_000]
    drawn = [(row["word"], row["layer"], row["rank"]) for row in lines["data"]["values"]]
    assert drawn[:3] == [("big", 0, 30_000), ("big", 1, 20), ("big", 2, 1)]


def test_what_the_mask_hides_has_the_colour_of_what_is_hidden_and_words_have_dashes():
    lines, _targets = layers(BIG, TIRED)
    colours = lines["encoding"]["color"]["scale"]
    assert colours["domain"] == ["big", "tired (hidden)"]
    assert colours["range"][1] == LIGHT.signal != colours["range"][0]
    dashes = lines["encoding"]["strokeDash"]["scale"]["range"]
    assert dashes[0] != dashes[1]


def test_the_pointer_reads_exact_numbers_and_labels_are_text():
    lines, targets = layers(BIG, TIRED)
    last = targets["data"]["values"][2]
    assert last == {
        "layer": 2,
        "said": "big",
        "at0": "1 (p 0.25)",
        "at1": "2 (p 0.12)",
    }
    titles = [one["title"] for one in targets["encoding"]["tooltip"]]
    assert titles == ["layer", "puts first", "big", "tired (hidden)"]
    assert r'"a \"word\"]"' in lines["encoding"]["x"]["axis"]["labelExpr"]


def test_a_word_needs_a_rank_a_layer():
    with pytest.raises(ValueError, match="3 layers"):
        layers(RankedWord("big", False, (1, 2), (0.5, 0.25)))
