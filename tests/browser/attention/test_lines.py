"""Lines of one head and of several: colours, thresholds, what is hidden, what is pointed at."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from core.tasks import AttentionMap
from tests.attention_maps import attention_map, text_of
from tests.browser.apps.canvas_cases import CASES, SENTENCE, softmax_maps
from tests.browser.apps.canvas_page import root
from tests.browser.attention.scenes import evaluate

pytestmark = pytest.mark.browser

# Machado, Oliveira and Fernandes (2009), severity 1, over linear sRGB.
DEUTERANOPIA = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)
PROTANOPIA = np.array(
    [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]
)
# Ottosson (2020), "A perceptual color space for image processing".
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)

COLOURS = """async (load) => {
    const { headColour } = await load("lib/head_colours");
    const heads = Array.from({ length: 25 }, (_, head) => head);
    return [false, true].map((dark) => heads.map((head) => headColour(head, dark)));
}"""

# The curves of a picture, its legend, and its texts with their colours.
DRAW = """async (load, scene, hovered) => {
    const { LinePictures } = await load("attention/line_picture");
    const { legendEntries } = await load("attention/overlay");
    const context = document.createElement("canvas").getContext("2d");
    const { marks, lines } = new LinePictures().build(scene, hovered, 700, 640, context);
    return {
        curves: marks.filter(({ kind }) => kind === "curve"),
        texts: marks.filter(({ kind }) => kind === "text"),
        legend: legendEntries(scene.values, scene.theme.dark),
        line: scene.theme.colours.line,
        muted: scene.theme.colours.muted,
        lines,
    };
}"""

# What lies at the middle of every line that is drawn, and at the text of a row and of a column.
POINT = """async (load, scene) => {
    const { Lines } = await load("attention/lines");
    const lines = new Lines(document.createElement("canvas"));
    lines.draw(scene, null, 700, 640);
    const { columns, lines: drawn } = lines.picture;
    const middle = (columns.left + columns.right) / 2;
    const found = drawn.map(({ from, to }) => lines.at(middle, (from + to) / 2));
    const row = lines.at(2, columns.row.rows[3].y);
    const column = lines.at(columns.right + 20, columns.column.rows[5].y);
    return { drawn, found, row, column };
}"""


def draw(
    page: Page, sets: list[AttentionMap], hovered: Any = None, **choices: Any
) -> dict[str, Any]:
    found: dict[str, Any] = evaluate(root(page), DRAW, sets, choices, hovered)
    return found


def linear(colours: list[str]) -> Any:
    channels = [[int(colour[place : place + 2], 16) for place in (1, 3, 5)] for colour in colours]
    share = np.array(channels) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def luminance(colours: list[str]) -> Any:
    return linear(colours) @ [0.2126, 0.7152, 0.0722]


def lab(light: Any) -> Any:
    return np.cbrt(np.clip(light, 0, 1) @ TO_CONES.T) @ TO_LAB.T


def test_head_colours_are_told_apart_without_red_or_green_cones(page: Page) -> None:
    palettes = evaluate(root(page), COLOURS, CASES["one"](), {})
    for colours, ground in zip(palettes, ["#ffffff", "#171b23"], strict=True):
        assert colours[24] == colours[0]
        heads = colours[:24]
        assert len(set(heads)) == 24
        pair = np.stack([luminance(heads), np.repeat(luminance([ground]), 24)])
        assert ((pair.max(axis=0) + 0.05) / (pair.min(axis=0) + 0.05) >= 3).all()
        for matrix, least, of_twelve in (
            (np.eye(3), 0.095, 0.16),
            (DEUTERANOPIA, 0.048, 0.085),
            (PROTANOPIA, 0.048, 0.085),
        ):
            seen = lab(linear(heads) @ matrix.T)
            for one, other in combinations(range(24), 2):
                distance = np.linalg.norm(seen[one] - seen[other])
                assert distance >= (of_twelve if other < 12 else least), (heads[one], heads[other])


def test_one_head_has_no_legend_and_several_have_a_colour_each(page: Page) -> None:
    sets = CASES["sentence"]()
    alone = draw(page, sets, layer=2, head=1, token=10)
    assert alone["legend"] == []
    assert {curve["colour"] for curve in alone["curves"]} == {alone["line"]}
    [together, _] = evaluate(root(page), COLOURS, sets, {})
    for token in (10, None):
        several = draw(page, sets, layer=2, head=4, heads=[1, 9], token=token)
        wanted = {head: together[head] for head in (1, 4, 9)}
        assert {entry["head"]: entry["colour"] for entry in several["legend"]} == wanted
        drawn = {curve["line"]["head"]: curve["colour"] for curve in several["curves"]}
        assert drawn == wanted
        for curve in several["curves"]:
            line = curve["line"]
            row = sets[0].patterns[2, line["head"], line["row"]]
            assert line["weight"] == pytest.approx(row[line["column"]], abs=float(row.max()) / 509)


def test_lines_of_several_heads_between_two_tokens_lie_side_by_side(page: Page) -> None:
    several = draw(page, CASES["sentence"](), layer=2, head=4, heads=[1, 9], token=10, least=1)
    ends: dict[int, list[float]] = {}
    for curve in several["curves"]:
        ends.setdefault(curve["line"]["column"], []).append(round(curve["y2"], 3))
    assert max(len(heights) for heights in ends.values()) == 3
    assert all(len(set(heights)) == len(heights) for heights in ends.values())


@pytest.mark.parametrize("token", [10, None])
def test_the_threshold_takes_away_exactly_the_weaker_lines(page: Page, token: int | None) -> None:
    sets = CASES["sentence"]()
    weights = np.asarray(sets[0].patterns[2, 1])
    drawn = draw(page, sets, layer=2, head=1, token=token, least=120)
    found = {(line["row"], line["column"]) for line in drawn["lines"]}
    rows = range(len(SENTENCE)) if token is None else [token]
    clear = np.abs(weights - 0.12) > weights.max(axis=-1, keepdims=True) / 500
    wanted = {(row, int(column)) for row in rows for column in np.flatnonzero(weights[row] >= 0.12)}
    assert wanted
    for row in rows:
        for column in np.flatnonzero(clear[row]):
            assert ((row, int(column)) in found) == ((row, int(column)) in wanted)


def test_hidden_tokens_have_no_lines_and_a_masked_sink_is_grey(page: Page) -> None:
    sets = CASES["sentence"]()
    weights = np.asarray(sets[0].patterns[2, 1])
    shown = draw(page, sets, layer=2, head=1, specials=False, token=10, least=1)
    # Without [CLS], "it" is the ninth row from zero.
    assert {line["row"] for line in shown["lines"]} == {9}
    for line in shown["lines"]:
        weight = weights[10, line["column"] + 1]
        assert line["weight"] == pytest.approx(weight, abs=float(weights[10].max()) / 509)
    hidden = draw(page, sets, layer=2, head=1, specials=False, token=0)
    assert len({line["row"] for line in hidden["lines"]}) > 1

    sink = int(weights.mean(axis=0).argmax())
    masked = draw(page, sets, layer=2, head=1, sink=True, token=10, least=1)
    columns = {line["column"] for line in masked["lines"]}
    strong = set(np.flatnonzero(weights[10] > 0.002).tolist())
    assert sink in strong
    assert columns >= strong - {sink}
    assert sink not in columns
    names = [text for text in masked["texts"] if text["anchor"] == "start"]
    assert names[sink]["text"] == SENTENCE[sink]
    assert names[sink]["colour"] == masked["muted"]


def test_pieces_of_a_word_are_one_end_of_a_line(page: Page) -> None:
    tokens = ["[CLS]", "un", "##help", "##ful", "it", "[SEP]"]
    words = [None, 0, 0, 0, 1, None]
    texts = ["unhelpful", "it"]
    weights = softmax_maps(1, 2, 6, 6, seed=3)
    maps = attention_map("encoder", weights, text_of(tokens, words=words, spellings=texts))
    drawn = draw(page, [maps], merge=True, token=2, head=1, least=1)
    merged = np.stack([weights[0, 1][:, group].sum(axis=1) for group in ([0], [1, 2, 3], [4], [5])])
    wanted = merged[:, 1:4].mean(axis=1)
    assert [line["row"] for line in drawn["lines"]] == [1] * 4
    for line in drawn["lines"]:
        assert line["weight"] == pytest.approx(wanted[line["column"]], abs=0.01)
    assert "unhelpful" in {text["text"] for text in drawn["texts"]}


def test_the_pointer_finds_the_head_of_a_line(page: Page) -> None:
    choices = {"layer": 2, "head": 4, "heads": [1, 9], "token": 10, "least": 100}
    answer = evaluate(root(page), POINT, CASES["sentence"](), choices)
    assert len({line["head"] for line in answer["drawn"]}) == 3
    for line, found in zip(answer["drawn"], answer["found"], strict=True):
        wanted = {name: line[name] for name in ("head", "row", "column")}
        assert found == {"layer": 2, **wanted}
    assert answer["row"] == {"layer": 2, "row": 3}
    assert answer["column"] == {"layer": 2, "column": 5}


def test_a_hovered_line_says_its_weight(page: Page) -> None:
    sets = CASES["sentence"]()
    row = sets[0].patterns[2, 9, 10]
    column = int(np.argsort(row)[-2])
    hovered = {"head": 9, "row": 10, "column": column}
    choices = {"layer": 2, "head": 4, "heads": [1, 9]}
    for token in (10, None):
        drawn = draw(page, sets, hovered, token=token, **choices)
        numbers = [text["text"] for text in drawn["texts"] if text["text"].startswith("0.")]
        assert f"{row[column]:.2f}" in numbers
        assert max(curve["alpha"] for curve in drawn["curves"]) == 1
