"""Merged, hidden, masked and partial maps against the same worked out by hand from the tensor."""

import base64
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page

from app.parts.attention_canvas import encode
from app.parts.attention_settings import CanvasSettings
from core.tasks import AttentionMap
from tests.attention_maps import attention_map, text_of
from tests.browser.apps.canvas_cases import CASES, softmax_maps

pytestmark = pytest.mark.browser

TOKENS = ["[CLS]", "un", "##believ", "##able", "!", "[SEP]", "Yes", "##ter", "##day", "we", "[SEP]"]
WORDS = [None, 0, 0, 0, 1, None, 2, 2, 2, 3, None]
SPELLINGS = ["Unbelievable", "!", "Yesterday", "we"]
SEGMENTS = [0] * 6 + [1] * 5
SPECIAL = [token.startswith("[") for token in TOKENS]

# Everything that a projection says of every head, for each of several settings.
PROJECT = """async ([text, wanted]) => {
    const names = performance.getEntriesByType("resource").map((entry) => entry.name);
    const main = names.find((name) => name.includes("/js/attention/main.js"));
    const load = (name) => import(new URL(`../${name}.js`, main));
    const { decode } = await load("attention/map_set");
    const { projectionOf } = await load("attention/projection");
    const { sets } = decode(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
    const set = sets.at(-1);
    return wanted.map((values) => {
        const projection = projectionOf(set, values);
        const heads = [];
        for (let layer = 0; layer < set.layers; layer += 1)
            for (let head = 0; head < set.heads; head += 1)
                heads.push({
                    weights: projection.rows.map((_, row) =>
                        Array.from(projection.row(layer, head, row))),
                    largest: projection.largestOfHead(layer, head),
                    ofRows: projection.rows.map((_, row) =>
                        projection.largestOfRow(layer, head, row)),
                    strongest: projection.strongestOfHead(layer, head),
                    sinks: projection.columns.map((_, column) =>
                        projection.isSink(layer, head, column)),
                });
        const exact = (group) => group.tokens.map((query) => set.row(0, 0, query));
        return {
            heads,
            rows: projection.rows,
            columns: projection.columns,
            isIdentity: projection.isIdentity,
            isSame: projection === projectionOf(set, { ...values, palette: "viridis" }),
            exact: projection.rows.map((group) => Array.from(projection.project(exact(group)))),
            rowOf: set.queryTokens.map((_, token) => projection.rowOf(token)),
            columnOf: set.keyTokens.map((_, token) => projection.columnOf(token)),
            maskedRows: projection.rows.map((_, row) => projection.isRowMasked(row)),
            maskedCells: projection.rows.map((_, row) =>
                projection.columns.map((_, column) => projection.isCellMasked(row, column))),
        };
    });
}"""


def pair_of_sentences() -> AttentionMap:
    weights = softmax_maps(2, 3, len(TOKENS), len(TOKENS), seed=4)
    text = text_of(TOKENS, special=SPECIAL, words=WORDS, spellings=SPELLINGS, segments=SEGMENTS)
    return attention_map("encoder", weights, text)


def project(page: Page, sets: list[AttentionMap], *wanted: dict[str, object]) -> list[Any]:
    message = encode(sets, CanvasSettings())
    found: list[Any] = page.evaluate(PROJECT, [base64.b64encode(message).decode(), wanted])
    return found


def by_hand(
    weights: NDArray[np.float32], rows: list[list[int]], columns: list[list[int]]
) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]:
    """Summed over keys, averaged over queries; and what half a step of each row comes to."""
    summed = np.stack([weights[..., keys].sum(axis=-1) for keys in columns], axis=-1)
    half_steps = weights.max(axis=-1, keepdims=True) / 510 * [len(keys) for keys in columns]
    return (
        np.stack([summed[:, :, queries].mean(axis=2) for queries in rows], axis=2),
        np.stack([half_steps[:, :, queries].mean(axis=2) for queries in rows], axis=2),
    )


def check_weights(
    found: Any, weights: NDArray[np.float32], rows: list[list[int]], columns: list[list[int]]
) -> None:
    assert [group["tokens"] for group in found["rows"]] == rows
    assert [group["tokens"] for group in found["columns"]] == columns
    expected, half_step = by_hand(weights, rows, columns)
    read = np.array([head["weights"] for head in found["heads"]]).reshape(expected.shape)
    assert (np.abs(read - expected) <= half_step * (1 + 1e-4)).all()
    for head, of_head in zip(found["heads"], read.reshape(-1, *read.shape[2:]), strict=True):
        assert head["largest"] == pytest.approx(of_head.max(), rel=1e-5)
        assert head["ofRows"] == pytest.approx(of_head.max(axis=-1), rel=1e-5)
        best = head["strongest"]
        assert of_head[best["row"], best["column"]] == pytest.approx(of_head.max(), rel=1e-5)
    exact = np.array(found["exact"])
    assert (np.abs(exact - expected[0, 0]) <= half_step[0, 0] * (1 + 1e-4)).all()
    for places, groups in ((found["rowOf"], rows), (found["columnOf"], columns)):
        for token, place in enumerate(places):
            assert place == next((i for i, group in enumerate(groups) if token in group), -1)


MERGED = [[0], [1, 2, 3], [4], [5], [6, 7, 8], [9], [10]]
SINGLE = [[token] for token in range(len(TOKENS))]


def test_words_specials_and_parts_are_those_worked_out_by_hand(page: Page) -> None:
    original = pair_of_sentences()
    weights = np.asarray(original.patterns)
    plain, merged, hidden, both, part, merged_part, no_such_part = project(
        page,
        [original],
        {},
        {"merge": True},
        {"specials": False},
        {"merge": True, "specials": False},
        {"part": "ab"},
        {"part": "ba", "merge": True, "specials": False},
        {"part": "zz"},
    )
    assert plain["isIdentity"]
    assert no_such_part["isIdentity"]
    assert [group["label"] for group in plain["rows"]] == TOKENS
    check_weights(plain, weights, SINGLE, SINGLE)

    assert not merged["isIdentity"]
    labels = [group["label"] for group in merged["columns"]]
    assert labels == ["[CLS]", "Unbelievable", "!", "[SEP]", "Yesterday", "we", "[SEP]"]
    check_weights(merged, weights, MERGED, MERGED)
    sums = np.array([head["weights"] for head in merged["heads"]]).sum(axis=-1)
    assert sums == pytest.approx(1, abs=0.03)  # merging moves weight and loses none

    kept = [[token] for token in range(len(TOKENS)) if not SPECIAL[token]]
    check_weights(hidden, weights, kept, kept)
    words = [[1, 2, 3], [4], [6, 7, 8], [9]]
    check_weights(both, weights, words, words)
    check_weights(part, weights, SINGLE[:6], SINGLE[6:])
    check_weights(merged_part, weights, words[2:], words[:2])
    assert all(one["isSame"] for one in (plain, merged, hidden, both, part))


def test_the_masked_sink_of_each_head_reads_as_nothing_and_takes_its_word_along(
    page: Page,
) -> None:
    original = pair_of_sentences()
    weights = np.asarray(original.patterns).reshape(-1, len(TOKENS), len(TOKENS))
    plain, merged, hidden = project(
        page,
        [original],
        {"sink": True},
        {"sink": True, "merge": True},
        {"sink": True, "specials": False},
    )
    assert not plain["isIdentity"]
    kept = [token for token in range(len(TOKENS)) if not SPECIAL[token]]
    sinks = weights.mean(axis=1).argmax(axis=-1)
    assert len(set(sinks)) > 1
    for head, sink in enumerate(sinks):
        of_word = next(place for place, group in enumerate(MERGED) if sink in group)
        assert plain["heads"][head]["sinks"] == [key == sink for key in range(len(TOKENS))]
        assert merged["heads"][head]["sinks"] == [key == of_word for key in range(len(MERGED))]
        # A sink that is hidden already takes no other column away.
        assert hidden["heads"][head]["sinks"] == [key == sink for key in kept]
        rest = weights[head].copy()
        rest[:, sink] = 0
        read = np.array(plain["heads"][head]["weights"])
        assert (np.abs(read - rest) <= weights[head].max(axis=-1, keepdims=True) / 509).all()
        assert plain["heads"][head]["largest"] == pytest.approx(read.max())
        assert not np.array(merged["heads"][head]["weights"])[:, of_word].any()


def test_nothing_is_ever_left_out_altogether_and_masks_follow_their_words(page: Page) -> None:
    tokens = ["[CLS]", "[SEP]"]
    text = text_of(tokens, special=[True, True])
    only_special = attention_map("encoder", softmax_maps(1, 1, 2, 2), text)
    hidden, part = project(page, [only_special], {"specials": False}, {"part": "ab"})
    for found in (hidden, part):
        assert [group["label"] for group in found["rows"]] == tokens
        assert found["isIdentity"]

    cross = CASES["sets"]()
    (found,) = project(page, cross, {"merge": True, "part": "bb"})
    check_weights(
        found,
        np.asarray(cross[-1].patterns),
        [[query] for query in range(9)],
        [[key] for key in range(5)],
    )

    # Word 1 is masked only where all of its pieces are.
    cells = np.zeros((4, 4), dtype=np.bool_)
    cells[0, [1, 2]] = cells[1, 1] = cells[3, :] = True
    weights = softmax_maps(1, 1, 4, 4)
    weights[:, :, cells] = 0
    names = ["a", "b", "##b", "c"]
    text = text_of(names, words=[0, 1, 1, 2], spellings=["a", "bb", "c"])
    masked = attention_map("decoder", weights, text, masked=cells)
    (found,) = project(page, [masked], {"merge": True})
    assert found["maskedRows"] == [False, False, True]
    assert found["maskedCells"] == [[False, True, False], [False] * 3, [True] * 3]
