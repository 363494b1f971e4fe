"""Saved views, read again from their files and compared with the tensors they show."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page

from core.tasks import AttentionMap
from tests.attention_maps import attention_map
from tests.browser.apps.canvas_cases import (
    CASES,
    HOSTILE,
    SENTENCE,
    case_of,
    softmax_maps,
    words,
)
from tests.browser.apps.canvas_page import root
from tests.browser.attention.scenes import evaluate

pytestmark = pytest.mark.browser

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
SIZE = (720, 600)
STEP = 1 / 509
HALF = 0.005  # of the last digit, where a row's largest weight is above 0.255

EXPORT = """async (load, scene, [kind, view, width, height]) => {
    const { exportView } = await load("attention/exports/index");
    const canvas = { clientWidth: width, clientHeight: height };
    return exportView(kind, { view, scene, canvas });
}"""

# Tokens that a spreadsheet would compute, a table would split, or XML forbids.
FORMULAS = ["=1+1", "+a", "-b", "@c", "\td", "\re"]
WILD = [*FORMULAS, 'say "so", then', "two\nlines", "a\x00\x0bb", "\ud83d"]


@pytest.fixture
def save(page: Page, tmp_path: Path) -> Any:
    """Save a view: `save("csv", "matrix", sets, layer=2) -> (file name, bytes)`."""

    def export(
        kind: str,
        view: str,
        sets: Sequence[AttentionMap],
        layers: Sequence[int] | None = None,
        **choices: Any,
    ) -> tuple[str, bytes]:
        with page.expect_download() as coming:
            said = evaluate(root(page), EXPORT, sets, choices, [kind, view, *SIZE], layers)
            assert said is None
        path = tmp_path / coming.value.suggested_filename
        coming.value.save_as(path)
        return path.name, path.read_bytes()

    return export


@pytest.fixture
def dark(page: Page) -> Iterator[None]:
    """The reader's theme, for one test."""
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector('.attention-canvas[data-theme="dark"]')
    yield
    page.emulate_media(color_scheme="light")
    page.wait_for_selector('.attention-canvas[data-theme="light"]')


def refusal(page: Page, kind: str, view: str, layers: Sequence[int], **choices: Any) -> str:
    """What is said instead of saving a view of 512 tokens."""
    argument = [kind, view, *SIZE]
    return str(evaluate(root(page), EXPORT, case_of("long"), choices, argument, layers))


def rounding(weights: np.ndarray) -> np.ndarray:
    """How far a weight that is not exact may be off: half a step and half of its last digit."""
    largest = weights.max(axis=-1, keepdims=True)
    return np.asarray(largest * STEP + 0.5 * 10 ** -np.floor(-np.log10(largest / 255)))


def table(content: bytes) -> list[list[str]]:
    text = content.decode("utf-8-sig")
    assert content.startswith("\ufeff".encode())
    assert text.endswith("\r\n")
    return list(csv.reader(io.StringIO(text, newline="")))


def tree(content: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(content)  # noqa: S314 - written by the page under test


def with_weight(svg: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [node for node in svg.iter(SVG + name) if "data-weight" in node.attrib]


def texts(svg: ElementTree.Element) -> list[str]:
    return ["".join(node.itertext()) for node in svg.iter(SVG + "text")]


def test_a_matrix_as_csv_holds_every_weight(save: Any) -> None:
    sets = CASES["sentence"]()
    name, content = save("csv", "matrix", sets, layer=2, head=1, least=500)
    assert name == "headlight-layer2-head1-matrix.csv"
    [heading, *rows] = table(content)
    assert heading == ["rounded", *SENTENCE]
    assert [row[0] for row in rows] == SENTENCE
    read = np.array([row[1:] for row in rows], dtype=float)
    weights = np.asarray(sets[0].patterns[2, 1])
    assert (np.abs(read - weights) <= rounding(weights)).all()


def test_what_is_masked_is_an_empty_cell_and_several_heads_are_their_mean(save: Any) -> None:
    [maps] = CASES["masked"]()
    name, content = save("csv", "matrix", [maps], layer=1, head=1, heads=[0])
    assert name == "headlight-layer1-heads0-1-matrix.csv"
    cells = np.array([row[1:] for row in table(content)[1:]])
    masked = np.asarray(maps.masked)
    assert ((cells == "") == masked).all()
    mean = np.asarray(maps.patterns[1]).mean(axis=0)
    assert cells[~masked].astype(float) == pytest.approx(mean[~masked], abs=STEP + HALF)


def test_lines_as_csv_are_those_above_the_threshold(save: Any) -> None:
    sets = CASES["sentence"]()
    weights = np.asarray(sets[0].patterns[2])
    choices = {"layer": 2, "head": 4, "heads": [1], "least": 100}
    name, content = save("csv", "lines", sets, token=10, **choices)
    assert name == "headlight-layer2-heads1-4-lines.csv"
    [heading, *rows] = table(content)
    assert heading == ["query", "query_position", "key", "key_position", "head", "weight_rounded"]
    found = {(int(head), int(key)): float(weight) for _, _, _, key, head, weight in rows}
    assert {row[0] for row in rows} == {"it"}
    assert len(rows) == len(found)
    for head in (1, 4):
        for key, weight in enumerate(weights[head, 10]):
            step = weights[head, 10].max() * STEP
            if abs(weight - 0.1) > step:
                assert ((head, key) in found) == (weight >= 0.1)
            if (head, key) in found:
                assert found[head, key] == pytest.approx(weight, abs=float(step) + HALF)
    _, everything = save("csv", "lines", sets, token=None, **choices)
    assert len({row[1] for row in table(everything)[1:]}) == len(SENTENCE)


def test_heads_as_csv_are_a_long_table_of_the_layer(save: Any) -> None:
    cross = CASES["sets"]()[2]
    name, content = save("csv", "heads", [cross], layer=3)
    assert name == "headlight-layer3-heads.csv"
    rows = table(content)[1:]
    assert len(rows) == 2 * 9 * 5
    read = np.array([float(row[-1]) for row in rows]).reshape(2, 9, 5)
    assert read == pytest.approx(np.asarray(cross.patterns[3]), abs=STEP + HALF)
    assert rows[7] == ["3", "0", "word0", "1", "word1", "2", rows[7][-1]]


@pytest.mark.parametrize("ending", ["csv", "svg"])
def test_the_grid_is_saved_at_512_tokens(save: Any, ending: str) -> None:
    [maps] = case_of("long")
    name, content = save(ending, "grid", [maps], layers=[2])
    assert name == f"headlight-grid.{ending}"
    if ending == "svg":
        images = list(tree(content).iter(SVG + "image"))
        assert len(images) == 6 * 12
        assert all(image.get(LINK, "").startswith("data:image/png;base64,") for image in images)
        assert len(content) < 4_000_000
        return
    rows = table(content)[1:]
    weights = np.asarray(maps.patterns)
    assert len(rows) == 6 * 12
    for row in rows:
        layer, head, query, key, sink = (int(row[place]) for place in (0, 1, 3, 5, 8))
        largest = weights[layer, head].max()
        assert weights[layer, head, query, key] == pytest.approx(largest)
        assert float(row[6]) == pytest.approx(float(largest), rel=1e-6)
        mean = weights[layer, head].mean(axis=0)
        assert sink == int(mean.argmax())
        assert float(row[9]) == pytest.approx(float(mean[sink]), rel=1e-4)
        assert row[7] == maps.key.pieces[sink]


def test_what_no_spreadsheet_opens_is_refused_with_the_reason(page: Page) -> None:
    said = refusal(page, "csv", "heads", [2], layer=2)
    assert said.startswith("The table would have 3145728 lines, and a spreadsheet opens at most")
    assert refusal(page, "svg", "matrix", [2], layer=1) == "Fetching layer 1…"


def test_tokens_stay_texts_in_every_file(save: Any) -> None:
    tokens = [*WILD, HOSTILE]
    size = len(tokens)
    maps = attention_map("encoder", softmax_maps(1, 1, size, size), tokens)
    [heading, *rows] = table(save("csv", "matrix", [maps])[1])
    whole = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in tokens]
    wanted = [f"'{text}" if text in FORMULAS else text for text in whole]
    assert heading == ["rounded", *wanted]
    assert [row[0] for row in rows] == wanted
    svg = tree(save("svg", "matrix", [maps])[1])
    assert svg.findall(f".//{SVG}img") == []
    assert svg.findall(f".//{SVG}script") == []
    names = [node.findtext(SVG + "title") or "" for node in with_weight(svg, "rect")]
    assert len(names) == size * size
    assert names[-1].startswith(f"“{HOSTILE}” → “{HOSTILE}” 0.")
    assert "“a\ufffd\ufffdb”" in names[8]
    assert "\ufffd" in texts(svg)


def test_a_matrix_as_svg_has_every_cell_and_label(save: Any) -> None:
    sets = CASES["sentence"]()
    name, content = save("svg", "matrix", sets, layer=2, head=1, scale="absolute")
    assert name == "headlight-layer2-head1-matrix.svg"
    svg = tree(content)
    assert svg.findtext(SVG + "title") == "Layer 2, head 1 · rows look at columns"
    cells = with_weight(svg, "rect")
    weights = np.asarray(sets[0].patterns[2, 1])
    read = np.array([float(cell.attrib["data-weight"]) for cell in cells]).reshape(weights.shape)
    assert (np.abs(read - weights) <= rounding(weights)).all()
    places = {(cell.attrib["x"], cell.attrib["y"]) for cell in cells}
    assert len(places) == weights.size
    labels = texts(svg)
    assert all(labels.count(token) >= 2 for token in SENTENCE)
    assert {"0", "1", "≥ 0.1"} & set(labels) == {"0", "1"}
    families = {node.attrib["font-family"] for node in svg.iter(SVG + "text")}
    assert any("JetBrains Mono" in family and "monospace" in family for family in families)
    # The lightest and the darkest weight have the colours of the ends of the palette.
    shades = [cells[int(place)].attrib["fill"] for place in (read.argmin(), read.argmax())]
    assert shades[0] == "#ffffff"
    assert int(shades[1][1:3], 16) < 0x60


def test_a_long_matrix_is_one_image_of_its_weights(save: Any) -> None:
    maps = attention_map("encoder", softmax_maps(1, 1, 130, 130), words(130))
    svg = tree(save("svg", "matrix", [maps])[1])
    assert with_weight(svg, "rect") == []
    assert len(list(svg.iter(SVG + "image"))) == 1


def test_lines_as_svg_are_paths_with_their_weights_and_a_legend(save: Any) -> None:
    sets = CASES["sentence"]()
    choices = {"layer": 2, "head": 4, "heads": [1], "least": 100}
    svg = tree(save("svg", "lines", sets, token=10, **choices)[1])
    paths = with_weight(svg, "path")
    weights = np.asarray(sets[0].patterns[2])
    strong = sorted(weights[[1, 4], 10][weights[[1, 4], 10] >= 0.1].tolist())
    read = sorted(float(path.attrib["data-weight"]) for path in paths)
    assert read == pytest.approx(strong, abs=STEP + HALF)
    assert {"head 1", "head 4", "≥ 0.1"} <= set(texts(svg))
    colours = {path.attrib["stroke"] for path in paths}
    swatches = {node.get("fill") for node in svg.iter(SVG + "rect") if node.get("rx") == "2"}
    assert len(colours) == 2
    assert colours == swatches


def test_a_png_is_the_picture_at_twice_its_size(save: Any) -> None:
    sets = CASES["sentence"]()
    choices = {"layer": 2, "head": 1, "palette": "viridis"}
    svg = tree(save("svg", "matrix", sets, **choices)[1])
    name, content = save("png", "matrix", sets, **choices)
    assert name == "headlight-layer2-head1-matrix.png"
    picture = Image.open(io.BytesIO(content)).convert("RGB")
    wanted = [2 * float(svg.attrib[side]) for side in ("width", "height")]
    assert list(picture.size) == pytest.approx(wanted, abs=1)
    for cell in with_weight(svg, "rect")[:: 16 + 1]:
        place = {side: float(cell.attrib[side]) for side in ("x", "y", "width", "height")}
        middle = (2 * place["x"] + place["width"], 2 * place["y"] + place["height"])
        pixel = picture.getpixel((round(middle[0]), round(middle[1])))
        assert isinstance(pixel, tuple)
        assert "#{:02x}{:02x}{:02x}".format(*pixel) == cell.attrib["fill"]


@pytest.mark.parametrize("view", ["grid", "heads", "lines"])
def test_every_view_is_saved_as_a_png_in_the_readers_theme(
    save: Any, dark: None, view: str
) -> None:
    picture = Image.open(io.BytesIO(save("png", view, CASES["sentence"](), layer=2)[1]))
    assert picture.convert("RGB").getpixel((3, 3)) == (0x17, 0x1B, 0x23)
    colours = picture.convert("RGB").getcolors(maxcolors=2**24)
    assert colours is not None
    assert len(colours) > 100
