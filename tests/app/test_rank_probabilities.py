"""Probabilities of a vocabulary by rank."""

import numpy as np
import pytest

from app.figures.rank_probabilities import RankProbabilityWords, rank_probabilities
from app.figures.theme import FigureTheme
from app.sections.next_word.rank_chart import TENTH, WHOLE, drawn_ranks
from core.tasks.next_word import decode_vocabulary, next_word
from tests.app.test_next_word import PARTY, gpt, open_next

__all__ = ["gpt", "open_next"]

WORDS = RankProbabilityWords(
    "rank", "probability", "piece", "model", "sliders", "model sum", "sliders sum", "times"
)


def layers(**theme):
    chart = rank_probabilities(WORDS, FigureTheme(**theme)).to_dict()
    return chart, chart["layer"]


@pytest.mark.parametrize("count", [1, 3, 100, 101, 150, 8_000, 50_257])
def test_all_ranks_to_a_hundred_are_drawn_and_beyond_them_even_steps_to_the_last(count):
    ranks = drawn_ranks(count)
    first = ranks[ranks <= WHOLE]
    assert first.tolist() == list(range(1, min(count, WHOLE) + 1))
    assert ranks[-1] == count
    assert (np.diff(ranks) > 0).all()
    beyond = ranks[ranks >= WHOLE].astype(float)
    # As far from each other on the axis as whole numbers allow.
    steps = np.diff(np.log10(beyond))
    rounding = 0.5 / beyond[1:] / np.log(10) + 0.5 / beyond[:-1] / np.log(10)
    assert (steps <= 1 / TENTH + rounding + 1e-9).all()


def test_both_axes_are_logarithmic_and_end_where_the_script_says():
    chart, (curves, *_others) = layers()
    encoding = curves["encoding"]
    assert encoding["x"]["scale"] == {
        "type": "log",
        "domain": [0.9, {"expr": "last"}],
        "nice": False,
    }
    assert encoding["y"]["scale"]["type"] == "log"
    assert encoding["y"]["scale"]["domain"] == [{"expr": "lowest"}, 2]
    assert {"last", "lowest"} <= {one["name"] for one in chart["params"]}
    assert encoding["color"]["scale"]["domain"] == ["model", "sliders"]
    one, other = encoding["strokeDash"]["scale"]["range"]
    assert one != other
    [toggle] = [one for one in chart["params"] if one["name"] == "toggle"]
    assert toggle["bind"] == "legend"


def test_the_pointer_reads_every_rank_exactly_and_limits_are_named():
    _chart, drawn = layers()
    of = {layer["data"]["name"]: layer for layer in drawn}
    shown = [one["field"] for one in of["ranks"]["encoding"]["tooltip"]]
    assert shown == ["piece", "rank", "model", "modelSum", "sampling", "samplingSum", "times"]
    assert drawn[-1] is of["ranks"]  # above all, so that it meets the pointer
    texts = [layer for layer in drawn if layer["mark"]["type"] == "text"]
    assert {layer["mark"]["align"] for layer in texts} == {"left", "right"}
    assert of["drawn"]["encoding"]["size"]["scale"]["range"][0] == 0


def test_pieces_are_named_at_every_rank_that_is_drawn(open_next, shown, gpt):
    page = open_next(text=PARTY)
    data = shown(page, "rank_chart")
    found, pieces = next_word(gpt, PARTY), decode_vocabulary(gpt).pieces
    assert data["identity"] == shown(page, "next_distribution")["identity"]
    assert data["ranks"].tolist() == drawn_ranks(8_000).tolist()
    for rank, name in zip(data["ranks"].tolist(), data["names"], strict=True):
        assert name == pieces[found.ids[rank - 1]]
