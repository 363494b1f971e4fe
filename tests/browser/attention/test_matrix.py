"""Matrix, heads of a layer and atlas: the colour of every cell, and what lies under a point."""

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page

from app.parts.attention_canvas import encode
from app.parts.attention_settings import CanvasSettings
from core.tasks import AttentionMap
from tests.attention_maps import attention_map, text_of
from tests.browser.apps.canvas_cases import CASES, SENTENCE, softmax_maps, words

pytestmark = pytest.mark.browser

THEME: dict[str, Any] = {
    "dark": False,
    "font": "sans-serif",
    "monospace": "monospace",
    "pixels": 16,
    "colours": {
        "text": "#14161f",
        "muted": "#5c6273",
        "card": "#ffffff",
        "hairline": "#e3e5ef",
        "accent": "#3b4cca",
        "mark": "#b45309",
        "line": "#d9821f",
        "masked": "#c9cdd6",
    },
}
GREY = [0xC9, 0xCD, 0xD6]
VALUES = {
    "layer": 1,
    "head": 2,
    "heads": [],
    "token": None,
    "key": None,
    "scale": "head",
    "palette": "indigo",
    "least": 0,
}

# Draws one view alone and looks at the middle of every cell of the asked heads.
DRAW = """async ([text, kind, values, theme, size, options]) => {
    const names = performance.getEntriesByType("resource").map((entry) => entry.name);
    const main = names.find((name) => name.includes("/js/attention/main.js"));
    const load = (name) => import(new URL(`../${name}.js`, main));
    const { decode } = await load("attention/map_set");
    const { projectionOf } = await load("attention/projection");
    const { createLookupTable } = await load("lib/palette");
    const { headColour } = await load("lib/head_colours");
    const file = { Matrix: "matrix", LayerHeads: "layer_heads", Atlas: "atlas" }[kind];
    const View = (await load(`attention/${file}`))[kind];
    const { sets } = decode(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
    const set = sets.at(-1);
    const projection = projectionOf(set, values);
    const [rows, columns] = [projection.rows.length, projection.columns.length];
    const canvas = document.createElement("canvas");
    const view = new View(canvas, options);
    const strings = { oneHead: "head {head}" };
    const scene = { mapSet: set, projection, values, theme, strings };
    view.draw(scene, options.hovered ?? null, ...size);

    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colourAt = (x, y) => {
        const place = 4 * (Math.floor(y) * canvas.width + Math.floor(x));
        return Array.from(data.subarray(place, place + 3));
    };
    const boxOf = {
        Matrix: () => {
            const { left, top, cell } = view.layout;
            return { x: left, y: top, width: columns * cell, height: rows * cell };
        },
        LayerHeads: (layer, head) => view.cellOf(head),
        Atlas: (layer, head) => {
            const { x, y, size } = view.cellOf(layer, head);
            return { x, y, width: size, height: size };
        },
    }[kind];
    const maps = (options.maps ?? [[values.layer, values.head]]).map(([layer, head]) => {
        const { x, y, width, height } = boxOf(layer, head);
        const middle = (row, column) => [
            x + ((column + 0.5) * width) / columns,
            y + ((row + 0.5) * height) / rows,
        ];
        const cells = Array.from({ length: rows }, (_, row) =>
            Array.from({ length: columns }, (_, column) => middle(row, column)));
        return {
            box: { x, y, width, height },
            colours: cells.map((line) => line.map(([x, y]) => colourAt(x, y))),
            under: cells.map((line) => line.map(([x, y]) => view.at(x, y))),
            beside: view.at(x - 4, middle(rows - 1, 0)[1]),
            above: view.at(middle(0, columns - 1)[0] + 2, y - 6),
        };
    });
    const marks = view.picture ? view.picture(scene, options.hovered ?? null, ...size) : [];
    const image = marks.find((mark) => mark.kind === "image")?.canvas;
    const pixels = image?.getContext("2d").getImageData(0, 0, image.width, image.height).data;
    const letters = (bytes) =>
        btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    return {
        maps,
        table: Array.from({ length: 256 }, (_, level) =>
            Array.from(new Uint8Array(createLookupTable("indigo", false).buffer, level * 4, 3))),
        height: canvas.height,
        isUnprojected: view.isUnprojected ?? false,
        texts: marks.filter((mark) => mark.kind === "text").map((mark) => mark.text),
        strokes: marks.filter((mark) => mark.stroke).map((mark) => mark.stroke),
        image: image && { width: image.width, pixels: letters(options.pixels ? pixels : []) },
        headColours: Array.from({ length: set.heads }, (_, head) => headColour(head, false)),
    };
}"""


def draw(
    page: Page,
    kind: str,
    sets: list[AttentionMap],
    values: Mapping[str, object] | None = None,
    size: tuple[int, int] = (900, 640),
    layers: list[int] | None = None,
    **options: Any,
) -> Any:
    message = encode(sets, CanvasSettings(), layers=layers)
    text = base64.b64encode(message).decode()
    return page.evaluate(DRAW, [text, kind, {**VALUES, **(values or {})}, THEME, size, options])


def sentence() -> AttentionMap:
    """Two words of two pieces in a sentence over 3 layers of 4 heads."""
    special = [token.startswith("[") for token in SENTENCE]
    numbers: list[int | None] = [None, 0, 1, 2, 2, 2, *range(3, len(SENTENCE) - 4), None]
    spellings = ["the", "animal", "didn't", *SENTENCE[6:-1]]
    text = text_of(SENTENCE, special=special, words=numbers, spellings=spellings)
    patterns = softmax_maps(3, 4, len(SENTENCE), len(SENTENCE), seed=7)
    return attention_map("encoder", patterns, text)


def expect_colours(
    colours: Any, table: Any, weights: NDArray[Any], full: Any, least: float = 0
) -> None:
    """Every colour is that of its weight, as near as two steps of 255 tell it."""
    levels = np.broadcast_to(np.rint(weights / full * 255), weights.shape).astype(int)
    for row, line in enumerate(colours):
        for column, colour in enumerate(line):
            if abs(weights[row, column] - least) < 0.004:
                continue
            level = 0 if weights[row, column] < least else levels[row, column]
            near = table[max(level - 2, 0) : level + 3]
            assert colour in near, (row, column, colour, level)


def test_every_cell_of_the_matrix_has_the_colour_of_its_weight(page: Page) -> None:
    original = sentence()
    tensor = np.asarray(original.patterns)
    weights = tensor[1, 2]
    for scale, full in (
        ("head", weights.max()),
        ("absolute", 1.0),
        ("row", weights.max(axis=-1, keepdims=True)),
    ):
        found = draw(page, "Matrix", [original], {"scale": scale})
        expect_colours(found["maps"][0]["colours"], found["table"], weights, full)

    found = draw(page, "Matrix", [original], {"least": 120})
    expect_colours(found["maps"][0]["colours"], found["table"], weights, weights.max(), 0.12)

    mean = tensor[1, [0, 2, 3]].mean(axis=0)
    found = draw(page, "Matrix", [original], {"heads": [0, 3], "scale": "absolute"})
    expect_colours(found["maps"][0]["colours"], found["table"], mean, 1)

    groups = [[1], [2], [3, 4, 5], *([token] for token in range(6, len(SENTENCE) - 1))]
    summed = np.stack([weights[:, keys].sum(axis=-1) for keys in groups], axis=-1)
    merged = np.stack([summed[queries].mean(axis=0) for queries in groups])
    found = draw(page, "Matrix", [original], {"merge": True, "specials": False})
    expect_colours(found["maps"][0]["colours"], found["table"], merged, merged.max())
    assert "didn't" in found["texts"]
    assert "[CLS]" not in found["texts"]

    sink = int(weights.mean(axis=0).argmax())
    rest = np.delete(weights, sink, axis=1)
    found = draw(page, "Matrix", [original], {"sink": True})
    colours = found["maps"][0]["colours"]
    assert all(line.pop(sink) == GREY for line in colours)
    expect_colours(colours, found["table"], rest, rest.max())


def test_a_point_of_the_matrix_is_a_cell_a_row_or_a_column(page: Page) -> None:
    (found,) = draw(page, "Matrix", [sentence()])["maps"]
    for row, line in enumerate(found["under"]):
        for column, what in enumerate(line):
            assert what == {"layer": 1, "head": 2, "row": row, "column": column}
    last = len(SENTENCE) - 1
    assert found["beside"] == {"layer": 1, "head": 2, "row": last}
    assert found["above"] == {"layer": 1, "head": 2, "column": last}

    (found,) = draw(page, "Matrix", CASES["sets"](), {"layer": 3, "head": 1})["maps"]
    assert found["box"]["height"] / found["box"]["width"] == pytest.approx(9 / 5)

    grey = draw(page, "Matrix", CASES["masked"](), {"head": 1})["maps"][0]["colours"]
    assert [[colour == GREY for colour in line] for line in grey] == np.triu(
        np.ones((6, 6))
    ).astype(bool).tolist()


def test_512_tokens_keep_the_largest_of_each_block_and_the_labels_that_matter(page: Page) -> None:
    tokens = words(512)
    long = attention_map("encoder", softmax_maps(1, 1, 512, 512), tokens)
    hovered = {"layer": 0, "head": 0, "row": 301, "column": 302}
    values = {"layer": 0, "head": 0, "token": 12, "key": 33}
    found = draw(page, "Matrix", [long], values, (460, 460), hovered=hovered, pixels=True, maps=[])
    side = found["image"]["width"]
    assert 300 < side < 460
    block = np.arange(512) * side // 512
    pooled = np.zeros((side, side))
    np.maximum.at(pooled, (block[:, None], block[None, :]), np.asarray(long.patterns[0, 0]))
    flat = np.frombuffer(base64.b64decode(found["image"]["pixels"]), dtype=np.uint8)
    pixels = flat.reshape(side, side, 4)[..., :3].tolist()
    expect_colours(pixels, found["table"], pooled, pooled.max())
    texts = found["texts"]
    assert {"word11", "word32", "word300", "word301"} <= set(texts)
    assert 20 < len(texts) < 120
    assert THEME["colours"]["mark"] in found["strokes"]


@pytest.mark.parametrize("picker", [False, True])
def test_heads_of_a_layer_show_every_head_and_say_which_lies_where(
    page: Page, picker: bool
) -> None:
    original = sentence()
    size = (260, 480) if picker else (900, 640)
    maps = [[1, head] for head in range(4)]
    options: dict[str, Any] = {"picker": picker, "maps": maps}
    found = draw(page, "LayerHeads", [original], {"heads": [1], "least": 60}, size, **options)
    for head, shown in enumerate(found["maps"]):
        weights = np.asarray(original.patterns[1, head])
        expect_colours(shown["colours"], found["table"], weights, weights.max(), 0.06)
        assert shown["under"][3][5] == {"layer": 1, "head": head, "row": 3, "column": 5}
        assert shown["box"]["x"] + shown["box"]["width"] <= size[0]
        assert shown["box"]["y"] + shown["box"]["height"] <= size[1]
    assert found["texts"] == [f"head {head}" for head in range(4)]
    assert found["headColours"][1] in found["strokes"]
    assert found["headColours"][3] not in found["strokes"]


def test_the_atlas_is_drawn_as_projected_and_fills_a_wide_room_with_many_layers(
    page: Page,
) -> None:
    original = sentence()
    kept = [token for token in range(len(SENTENCE)) if not SENTENCE[token].startswith("[")]
    options: dict[str, Any] = {"maps": [[0, 3], [2, 1]]}
    values = {"specials": False, "least": 90}
    found = draw(page, "Atlas", [original], values, **options)
    assert not found["isUnprojected"]
    for (layer, head), shown in zip(options["maps"], found["maps"], strict=True):
        weights = np.asarray(original.patterns[layer, head])[np.ix_(kept, kept)]
        expect_colours(shown["colours"], found["table"], weights, weights.max(), 0.09)
        assert shown["under"][2][7] == {"layer": layer, "head": head, "row": 2, "column": 7}

    # Thumbnails know nothing of single tokens.
    found = draw(page, "Atlas", [original], values, layers=[1], **options)
    assert found["isUnprojected"]
    assert found["maps"][0]["under"][2][7] == {"layer": 0, "head": 3}

    deep = attention_map("encoder", softmax_maps(24, 16, 3, 3), ["a", "b", "c"])
    everything = [[layer, head] for layer in range(24) for head in range(16)]
    found = draw(page, "Atlas", [deep], {}, (1500, 640), maps=everything)
    assert found["height"] <= 640
    for (layer, head), shown in zip(everything, found["maps"], strict=True):
        what = shown["under"][1][1]
        assert [what["layer"], what["head"]] == [layer, head]
        assert shown["box"]["width"] >= 36
        assert shown["box"]["x"] + shown["box"]["width"] <= 1500
