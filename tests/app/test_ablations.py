"""The map of all heads, each ablated by itself."""

import re
from pathlib import Path

import pytest

from app.figures.ablations import AblationWords, ablation_map, height_of
from app.figures.theme import DIVERGING, FigureTheme

WORDS = AblationWords("layer", "head", "change (nats)", "p before", "p after", "switch")
PALETTE = Path(__file__).resolve().parents[2] / "app/static/js/lib/palette.js"


@pytest.mark.parametrize("dark", [False, True])
def test_colours_are_as_far_from_nothing_on_either_side(dark):
    theme = FigureTheme(dark=dark)
    cells, *_crosses = ablation_map(WORDS, theme).to_dict()["layer"]
    colour = cells["encoding"]["color"]
    ends = [eval(one["expr"], {"limit": 2.0}) for one in colour["scale"]["domain"]]  # noqa: S307
    assert ends == [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2]
    assert colour["scale"]["range"] == list(theme.diverging)
    assert colour["scale"]["range"][4] == theme.palette.card
    assert colour["legend"]["title"] == "change (nats)"


def test_they_are_those_of_the_canvases():
    written = PALETTE.read_text(encoding="utf-8").partition("const DIVERGING")[2].partition("};")[0]
    light, dark = written.split("dark:")
    found = {"light": light, "dark": dark}
    assert {name: tuple(re.findall(r"#\w{6}", one)) for name, one in found.items()} == DIVERGING


def test_a_row_a_layer_and_a_column_a_head_with_exact_numbers_under_the_pointer():
    chart = ablation_map(WORDS, FigureTheme()).to_dict()
    cells, *crosses = chart["layer"]
    encoding = cells["encoding"]
    assert (encoding["x"]["field"], encoding["y"]["field"]) == ("head", "layer")
    shown = [(one["field"], one["title"]) for one in encoding["tooltip"]]
    assert shown == [
        ("layer", "layer"),
        ("head", "head"),
        ("change", "change (nats)"),
        ("before", "p before"),
        ("after", "p after"),
        ("state", "switch"),
    ]
    assert len(crosses) == 2
    assert all({"filter": "datum.isOff"} in one["transform"] for one in crosses)
    assert [one["name"] for one in chart["params"]] == ["limit"]


def test_a_map_is_higher_by_as_much_for_every_layer():
    theme = FigureTheme()
    assert height_of(7, theme) - height_of(6, theme) == height_of(12, theme) - height_of(11, theme)
    assert height_of(6, FigureTheme(presented=True)) == 1.25 * height_of(6, theme)
