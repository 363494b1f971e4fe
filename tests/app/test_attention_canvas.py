"""The message that carries attention maps to the browser."""

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.parts.attention_canvas import encode, fits_at_once
from app.parts.attention_settings import CanvasSettings
from app.parts.attention_strings import canvas_strings
from app.parts.head_suggestions import Suggestion
from core.tasks import AttentionMap
from tests.attention_maps import attention_map, masking_rows, text_of
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


def maps_of(
    name: str = "encoder", shape: tuple[int, ...] = (2, 3, 4, 4), masked: Any = None
) -> AttentionMap:
    return attention_map(name, softmax(*shape), tokens(shape[2]), tokens(shape[3]), masked)


def pack(*maps: AttentionMap, layers: Collection[int] | None = None, **settings: Any) -> Any:
    """What the browser unpacks."""
    return unpack(encode(maps, CanvasSettings(**settings), layers=layers))


def packed(original: AttentionMap, **options: Any) -> Any:
    """The same of a single set."""
    (entry,) = pack(original, **options)["sets"]
    return entry


@pytest.mark.parametrize("length", [1, 9, 64, 200])
def test_weights_come_back_within_half_a_step_of_their_row(length: int) -> None:
    original = maps_of(shape=(2, 3, length, length))
    entry = packed(original)
    half_step = entry["scales"][..., None] / 510
    error = np.abs(weights_of(entry) - original.patterns)
    assert (error <= half_step * (1 + 1e-5)).all()


def test_largest_weight_of_a_row_comes_back_exactly() -> None:
    original = maps_of(shape=(1, 2, 9, 9))
    np.testing.assert_allclose(
        weights_of(packed(original)).max(axis=-1), original.patterns.max(axis=-1), rtol=1e-6
    )


def test_faint_rows_keep_their_shape() -> None:
    weights = softmax(1, 1, 2, 8)
    weights[0, 0, 1] *= 1e-4
    entry = packed(attention_map("encoder", weights, tokens(2), tokens(8)))
    assert np.count_nonzero(weights_of(entry)[0, 0, 1]) > 4


def test_sets_of_every_size_share_one_message() -> None:
    sets = [
        maps_of("encoder", (2, 3, 5, 5)),
        maps_of("decoder", (4, 2, 9, 9)),
        maps_of("cross", (4, 2, 9, 5)),
    ]
    entries = pack(*sets)["sets"]
    for entry, original in zip(entries, sets, strict=True):
        np.testing.assert_allclose(weights_of(entry), original.patterns, atol=1 / 510)
    assert len(entries[2]["queryTokens"]) == 9
    assert len(entries[2]["keyTokens"]) == 5


def test_a_weight_costs_little_more_than_a_byte() -> None:
    original = maps_of(shape=(6, 12, 128, 128))
    message = encode([original], CanvasSettings())
    assert len(message) / original.patterns.size <= 1.05


def test_masked_rows_are_marked_and_hold_nothing() -> None:
    weights = softmax(1, 1, 3, 3)
    weights[:, :, 1] = np.nan
    masked = masking_rows(1, tokens=3)
    entry = packed(attention_map("decoder", weights, tokens(3), masked=masked))
    assert entry["maskedRows"].tolist() == [0, 1, 0]
    assert (weights_of(entry)[0, 0, 1] == 0).all()


def test_a_row_masked_in_every_cell_is_a_masked_row() -> None:
    cells = np.triu(np.ones((3, 3), dtype=np.bool_))
    entry = packed(maps_of(shape=(1, 1, 3, 3), masked=cells))
    assert entry["maskedRows"].tolist() == [1, 0, 0]
    np.testing.assert_array_equal(entry["maskedCells"], cells)


def test_any_token_text_survives() -> None:
    words = ["</script>", "שלום", "👩‍🔬", "##ing", '"', "\ud800"]
    original = attention_map("encoder", softmax(1, 1, 6, 6), words)
    assert packed(original)["keyTokens"] == words


def test_settings_name_the_first_set_and_keep_zero() -> None:
    settings = pack(maps_of("encoder"), maps_of("cross"), layer=0, head=2, token=0)["settings"]
    assert (settings["layer"], settings["head"], settings["token"]) == (0, 2, 0)
    assert settings["set"] == "encoder"


def test_another_set_may_be_shown_first() -> None:
    settings = pack(maps_of("encoder"), maps_of("cross"), map_set="cross")["settings"]
    assert settings["set"] == "cross"


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
    original = maps_of(shape=(3, 2, queries, keys))
    small = packed(original, layers=[1])["thumbnails"]
    weights = original.patterns
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
    original = maps_of(shape=(3, 2, 9, 9))
    one, two, other = (
        packed(original, layers=[1]),
        packed(original, layers=[0, 2, 7]),
        packed(replace(original, query=replace(original.query, special=(True,) * 9))),
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
        attention_map("encoder", weights, tokens(4)),
        attention_map("encoder", weights, tokens(4), ["a", "b", "c", "d"]),
        attention_map("encoder", weights / 2, tokens(4)),
        attention_map("decoder", weights, tokens(4)),
    ]
    assert len({packed(one)["identity"] for one in sets}) == len(sets)


def test_a_whole_set_brings_no_thumbnails() -> None:
    assert packed(maps_of())["thumbnails"] is None
    assert packed(maps_of(), layers=[0, 1])["thumbnails"] is None


def test_512_tokens_do_not_fit_at_once_and_one_layer_of_them_is_small() -> None:
    assert fits_at_once((12, 12, 256, 256))
    assert not fits_at_once((6, 12, 512, 512))
    original = maps_of(shape=(6, 2, 512, 512))
    message = encode([original], CanvasSettings(), layers=[3])
    assert len(message) <= 1.35 * original.patterns[0].size


def test_words_and_segments_stand_with_their_tokens() -> None:
    words, spellings = [None, 0, 0, 1], ["unhappily", "</b>"]
    text = text_of(tokens(4), words=words, spellings=spellings, segments=[0, 0, 1, 1])
    entry = packed(attention_map("cross", softmax(2, 3, 4, 4), text, tokens(4)))
    assert (entry["queryWords"], entry["queryWordTexts"]) == ([-1, 0, 0, 1], spellings)
    assert (entry["keyWords"], entry["keyWordTexts"]) == ([-1] * 4, [])
    assert (entry["querySegments"], entry["keySegments"]) == ([0, 0, 1, 1], [0] * 4)


def test_the_sink_is_the_key_with_the_largest_mean_over_drawn_rows() -> None:
    first = [[0.1, 0.5, 0.4], [0.2, 0.2, 0.6], [1.0, 0.0, 0.0]]
    second = [[0.3, 0.4, 0.3], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]]
    weights = np.array([[first, second]], dtype=np.float32)
    original = attention_map("encoder", weights, tokens(3))
    entry = packed(original)
    assert entry["sinkKeys"].tolist() == [[0, 2]]
    np.testing.assert_allclose(entry["sinkShares"], [[1.3 / 3, 1.8 / 3]])

    weights[0, :, 2] = np.nan
    entry = packed(attention_map("encoder", weights, tokens(3), masked=masking_rows(2, tokens=3)))
    assert entry["sinkKeys"].tolist() == [[2, 1]]
    np.testing.assert_allclose(entry["sinkShares"], [[0.5, 0.45]])


def test_maps_that_are_masked_all_over_have_no_sink() -> None:
    cells = np.ones((3, 3), dtype=np.bool_)
    entry = packed(maps_of(shape=(1, 1, 3, 3), masked=cells))
    assert (weights_of(entry) == 0).all()
    assert entry["sinkShares"].tolist() == [[0]]


def test_thumbnails_of_masked_rows_hold_what_the_other_rows_do() -> None:
    weights = softmax(2, 1, 130, 130)
    weights[:, :, 3] = np.nan
    masked = masking_rows(3, tokens=130)
    entry = packed(attention_map("encoder", weights, tokens(130), masked=masked), layers=[0])
    clean = np.nan_to_num(weights, nan=0.0)
    expected = largest_of_blocks(clean, 3, 3) / clean.max(axis=(-1, -2), keepdims=True)
    np.testing.assert_allclose(entry["thumbnails"]["weights"] / 255, expected, atol=0.51 / 255)


def test_suggestions_stand_with_their_set() -> None:
    suggestion = Suggestion("looks one token back", "1.00", layer=0, head=2)
    maps = [maps_of("encoder"), maps_of("cross")]
    entries = unpack(encode(maps, CanvasSettings(), suggestions=[[suggestion], []]))["sets"]
    first, second = (entry["suggestions"] for entry in entries)
    assert first == [{"label": "looks one token back", "share": "1.00", "layer": 0, "head": 2}]
    assert second == []


@pytest.mark.parametrize(
    ("factor", "message"), [(-1, "negative"), (np.nan, "not finite"), (np.inf, "not finite")]
)
def test_weights_that_are_none_are_refused(factor: float, message: str) -> None:
    maps = attention_map("encoder", softmax(2, 3, 4, 4) * np.float32(factor), tokens(4))
    with pytest.raises(ValueError, match=message):
        pack(maps)


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
    found = pack(maps_of(), head=1, heads=(0, 1, 2), **wanted)["settings"]
    assert {name: found[name] for name in wanted} == wanted
    assert found["heads"] == [0, 2]


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
