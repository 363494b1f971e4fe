"""The message that carries attention maps to the browser."""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.parts.attention_canvas import canvas_strings
from app.parts.attention_payload import (
    CanvasSettings,
    MapSet,
    Suggestion,
    encode,
    fits_at_once,
)
from tests.wire import unpack

SCRIPTS = Path(__file__).resolve().parents[2] / "app" / "static" / "js"


def weights_of(entry: dict[str, Any]) -> np.ndarray[Any, Any]:
    """All weights of a set `[layer, head, query, key]`; of layers that did not come NaN."""
    scales = entry["scales"]
    found = np.full((*scales.shape, len(entry["keyTokens"])), np.nan)
    for layer, levels in enumerate(entry["levels"]):
        if levels is not None:
            assert levels.dtype == np.uint8
            found[layer] = levels * (scales[layer, ..., None] / 255)
    return found


def softmax(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    exponentials = np.exp(3 * np.random.default_rng(seed).standard_normal(shape))
    return (exponentials / exponentials.sum(axis=-1, keepdims=True)).astype(np.float32)


def tokens(count: int) -> list[str]:
    return [f"token{index}" for index in range(count)]


def map_set(name: str = "encoder", shape: tuple[int, ...] = (2, 3, 4, 4), **options: Any) -> MapSet:
    return MapSet(name, softmax(*shape), tokens(shape[2]), tokens(shape[3]), **options)


def pack(*map_sets: MapSet, layers: Collection[int] | None = None, **settings: Any) -> Any:
    """What the browser unpacks."""
    start = CanvasSettings(**settings)
    return unpack(encode(map_sets, strings={}, settings=start, layers=layers))


def packed(original: MapSet, **options: Any) -> Any:
    """The same of a single set."""
    (entry,) = pack(original, **options)["sets"]
    return entry


@pytest.mark.parametrize("length", [1, 9, 64, 200])
def test_weights_come_back_within_half_a_step_of_their_row(length: int) -> None:
    original = map_set(shape=(2, 3, length, length))
    entry = packed(original)
    half_step = entry["scales"][..., None] / 510
    error = np.abs(weights_of(entry) - original.weights)
    assert (error <= half_step * (1 + 1e-5)).all()


def test_largest_weight_of_a_row_comes_back_exactly() -> None:
    original = map_set(shape=(1, 2, 9, 9))
    np.testing.assert_allclose(
        weights_of(packed(original)).max(axis=-1), original.weights.max(axis=-1), rtol=1e-6
    )


def test_faint_rows_keep_their_shape() -> None:
    weights = softmax(1, 1, 2, 8)
    weights[0, 0, 1] *= 1e-4
    entry = packed(MapSet("encoder", weights, tokens(2), tokens(8)))
    assert np.count_nonzero(weights_of(entry)[0, 0, 1]) > 4


def test_sets_of_every_size_share_one_message() -> None:
    sets = [
        map_set("encoder", (2, 3, 5, 5)),
        map_set("decoder", (4, 2, 9, 9)),
        map_set("cross", (4, 2, 9, 5), query_label="decoder", key_label="encoder"),
    ]
    entries = pack(*sets)["sets"]
    for entry, original in zip(entries, sets, strict=True):
        np.testing.assert_allclose(weights_of(entry), original.weights, atol=1 / 510)
    assert len(entries[2]["queryTokens"]) == 9
    assert len(entries[2]["keyTokens"]) == 5


def test_a_weight_costs_little_more_than_a_byte() -> None:
    original = map_set(shape=(6, 12, 128, 128))
    message = encode([original], strings=canvas_strings(), settings=CanvasSettings())
    assert len(message) / original.weights.size <= 1.05


def test_masked_rows_are_marked_and_hold_nothing() -> None:
    weights = softmax(1, 1, 3, 3)
    weights[:, :, 1] = np.nan
    rows = np.array([False, True, False])
    entry = packed(MapSet("decoder", weights, tokens(3), tokens(3), masked_rows=rows))
    assert entry["maskedRows"].tolist() == [0, 1, 0]
    assert (weights_of(entry)[0, 0, 1] == 0).all()


def test_a_row_masked_in_every_cell_is_a_masked_row() -> None:
    cells = np.triu(np.ones((3, 3), dtype=np.bool_))
    entry = packed(map_set(shape=(1, 1, 3, 3), masked_cells=cells))
    assert entry["maskedRows"].tolist() == [1, 0, 0]
    np.testing.assert_array_equal(entry["maskedCells"], cells)


def test_any_token_text_survives() -> None:
    words = ["</script>", "שלום", "👩‍🔬", "##ing", '"', "\ud800"]
    original = MapSet("encoder", softmax(1, 1, 6, 6), words, words)
    assert packed(original)["keyTokens"] == words


def test_settings_name_the_first_set_and_keep_zero() -> None:
    settings = pack(map_set("encoder"), map_set("cross"), layer=0, head=2, token=0)["settings"]
    assert (settings["layer"], settings["head"], settings["token"]) == (0, 2, 0)
    assert settings["set"] == "encoder"


def largest_of_blocks(maps: np.ndarray[Any, Any], down: int, across: int) -> Any:
    """The definition, cell by cell."""
    rows, columns = maps.shape[-2:]
    return np.stack(
        [
            np.stack(
                [
                    maps[..., row : row + down, column : column + across].max(axis=(-1, -2))
                    for column in range(0, columns, across)
                ],
                axis=-1,
            )
            for row in range(0, rows, down)
        ],
        axis=-2,
    )


@pytest.mark.parametrize(("queries", "keys"), [(9, 5), (64, 65), (130, 200)])
def test_thumbnails_hold_the_largest_of_each_block(queries: int, keys: int) -> None:
    original = map_set(shape=(3, 2, queries, keys))
    small = packed(original, layers=[1])["thumbnails"]
    weights = original.weights
    blocks = (-(-queries // 64), -(-keys // 64))
    absolute = largest_of_blocks(weights, *blocks)
    relative = largest_of_blocks(weights / weights.max(axis=-1, keepdims=True), *blocks)
    of_head = weights.max(axis=(-1, -2), keepdims=True)
    assert (small["blockRows"], small["blockColumns"]) == blocks
    np.testing.assert_allclose(small["weights"] / 255, absolute / of_head, atol=0.51 / 255)
    np.testing.assert_allclose(small["relative"] / 255, relative, atol=0.51 / 255)
    flat = weights.reshape(3, 2, -1).argmax(axis=-1)
    np.testing.assert_array_equal(small["strongestKeys"], flat % keys)


def test_layers_come_one_after_the_other_and_know_each_other() -> None:
    original = map_set(shape=(3, 2, 9, 9))
    one, two, other = (
        packed(original, layers=[1]),
        packed(original, layers=[0, 2, 7]),
        packed(map_set(shape=(3, 2, 9, 9), query_special=[True] * 9)),
    )
    assert [levels is not None for levels in one["levels"]] == [False, True, False]
    assert [levels is not None for levels in two["levels"]] == [True, False, True]
    together = np.where(np.isnan(weights_of(one)), weights_of(two), weights_of(one))
    np.testing.assert_allclose(together, weights_of(packed(original)))
    identities = {part["identity"] for part in (one, two, other)}
    assert len(identities) == 1


def test_other_maps_and_other_tokens_have_another_identity() -> None:
    weights = softmax(2, 3, 4, 4)
    sets = [
        MapSet("encoder", weights, tokens(4), tokens(4)),
        MapSet("encoder", weights, tokens(4), ["a", "b", "c", "d"]),
        MapSet("encoder", weights / 2, tokens(4), tokens(4)),
        MapSet("decoder", weights, tokens(4), tokens(4)),
    ]
    assert len({packed(one)["identity"] for one in sets}) == len(sets)


def test_a_whole_set_brings_no_thumbnails() -> None:
    assert packed(map_set())["thumbnails"] is None
    assert packed(map_set(), layers=[0, 1])["thumbnails"] is None


def test_512_tokens_do_not_fit_at_once_and_one_layer_of_them_is_small() -> None:
    assert fits_at_once((12, 12, 256, 256))
    assert not fits_at_once((6, 12, 512, 512))
    original = map_set(shape=(6, 2, 512, 512))
    message = encode([original], strings={}, settings=CanvasSettings(), layers=[3])
    assert len(message) <= 1.35 * original.weights[0].size


def test_words_and_segments_stand_with_their_tokens() -> None:
    entry = packed(
        map_set(
            query_words=[None, 0, 0, 1],
            query_word_texts=["unhappily", "</b>"],
            query_segments=[0, 0, 1, 1],
        )
    )
    assert (entry["queryWords"], entry["queryWordTexts"]) == ([-1, 0, 0, 1], ["unhappily", "</b>"])
    assert (entry["keyWords"], entry["keyWordTexts"]) == ([-1] * 4, [])
    assert (entry["querySegments"], entry["keySegments"]) == ([0, 0, 1, 1], [0] * 4)


def test_the_sink_is_the_key_with_the_largest_mean_over_drawn_rows() -> None:
    first = [[0.1, 0.5, 0.4], [0.2, 0.2, 0.6], [1.0, 0.0, 0.0]]
    second = [[0.3, 0.4, 0.3], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]]
    weights = np.array([[first, second]], dtype=np.float32)
    original = MapSet("encoder", weights, tokens(3), tokens(3))
    entry = packed(original)
    assert entry["sinkKeys"].tolist() == [[0, 2]]
    np.testing.assert_allclose(entry["sinkShares"], [[1.3 / 3, 1.8 / 3]])

    rows = np.array([False, False, True])
    weights[0, :, 2] = np.nan
    entry = packed(MapSet("encoder", weights, tokens(3), tokens(3), masked_rows=rows))
    assert entry["sinkKeys"].tolist() == [[2, 1]]
    np.testing.assert_allclose(entry["sinkShares"], [[0.5, 0.45]])


def test_maps_that_are_masked_all_over_have_no_sink() -> None:
    cells = np.ones((3, 3), dtype=np.bool_)
    entry = packed(map_set(shape=(1, 1, 3, 3), masked_cells=cells))
    assert (weights_of(entry) == 0).all()
    assert entry["sinkShares"].tolist() == [[0]]


def test_thumbnails_of_masked_rows_hold_what_the_other_rows_do() -> None:
    weights = softmax(2, 1, 130, 130)
    weights[:, :, 3] = np.nan
    rows = np.arange(130) == 3
    entry = packed(
        MapSet("encoder", weights, tokens(130), tokens(130), masked_rows=rows), layers=[0]
    )
    clean = np.nan_to_num(weights, nan=0.0)
    expected = largest_of_blocks(clean, 3, 3) / clean.max(axis=(-1, -2), keepdims=True)
    np.testing.assert_allclose(entry["thumbnails"]["weights"] / 255, expected, atol=0.51 / 255)


def test_suggestions_stand_with_their_set() -> None:
    suggestion = Suggestion("looks one token back", "1.00", layer=0, head=2)
    entries = pack(map_set("encoder", suggestions=[suggestion]), map_set("cross"))["sets"]
    first, second = (entry["suggestions"] for entry in entries)
    assert first == [{"label": "looks one token back", "share": "1.00", "layer": 0, "head": 2}]
    assert second == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"query_tokens": tokens(3)}, "3 query tokens for 4"),
        ({"key_tokens": tokens(5)}, "5 key tokens for 4"),
        ({"query_special": [True]}, "1 query special marks for 4"),
        ({"key_special": [True] * 5}, "5 key special marks for 4"),
        ({"masked_rows": np.zeros(3, dtype=np.bool_)}, r"masked rows of shape \(3,\)"),
        ({"masked_cells": np.zeros((4, 3), dtype=np.bool_)}, r"masked cells of shape \(4, 3\)"),
        ({"weights": softmax(3, 4, 4)}, "not 3"),
        ({"weights": softmax(2, 3, 4, 4)[:0]}, "empty"),
        ({"weights": -softmax(2, 3, 4, 4)}, "zero or more"),
        ({"weights": np.full((2, 3, 4, 4), np.nan)}, "finite"),
        ({"name": ""}, "name"),
        ({"query_words": [0]}, "1 query words for 4"),
        ({"key_words": [0, 0, 1, 2], "key_word_texts": ["a", "b"]}, "no spelling for word 2"),
        ({"query_segments": [0, 1]}, "2 query segments for 4"),
        ({"key_segments": [0, 1, 2, 0]}, "segment 2"),
        ({"suggestions": [Suggestion("all", "1", 2, 0)]}, "no layer 2, head 0"),
    ],
)
def test_contradictions_are_refused_in_words(options: dict[str, Any], message: str) -> None:
    good = {
        "name": "encoder",
        "weights": softmax(2, 3, 4, 4),
        "query_tokens": tokens(4),
        "key_tokens": tokens(4),
    }
    with pytest.raises(ValueError, match=message):
        MapSet(**{**good, **options})


@pytest.mark.parametrize(
    "settings",
    [
        {"layer": -1},
        {"token": -1},
        {"key": -1},
        {"heads": (1, -1)},
        {"least": -1},
        {"least": 1001},
        {"palette": "rainbow"},
        {"scale": "log"},
        {"layout": "huge"},
        {"view": "cube"},
        {"part": "ac"},
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"counts from 0|is not one of|is not from 0 to 1000"):
        CanvasSettings(**settings)


def test_settings_of_the_explorer_reach_the_browser() -> None:
    wanted: dict[str, Any] = {
        "layout": "explorer",
        "channel": "more",
        "view": "lines",
        "key": 0,
        "least": 1000,
        "specials": False,
        "sink": True,
        "merge": True,
        "part": "ab",
    }
    found = pack(map_set(), head=1, heads=(0, 1, 2), **wanted)["settings"]
    assert {name: found[name] for name in wanted} == wanted
    assert found["heads"] == [0, 2]


def test_encode_refuses_no_set_twin_names_and_a_missing_first_set() -> None:
    with pytest.raises(ValueError, match="no set"):
        pack()
    with pytest.raises(ValueError, match="different names"):
        pack(map_set(), map_set())
    with pytest.raises(ValueError, match="no set 'cross'"):
        pack(map_set(), map_set="cross")


def test_scripts_and_python_agree_on_the_strings() -> None:
    scripts = "\n".join(
        path.read_text(encoding="utf-8") for path in SCRIPTS.rglob("attention/**/*.js")
    )
    strings = set(canvas_strings())
    read = set(re.findall(r"\bstrings\.(\w+)", scripts))
    assert read <= strings
    # Others are read by a name that stands in a table.
    tabled = {name for name in strings if f'"{name}"' in scripts}
    assert strings == read | tabled
