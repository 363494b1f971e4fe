"""Heads as points: what is drawn, and what the browser is told."""

import numpy as np
import pytest

from app.figures.head_points import HeadWords, head_points
from app.figures.theme import FigureTheme
from app.parts.head_points import head_points_message
from core.analysis.heads import measure_heads
from tests.attention_maps import attention_map, text_of

WORDS = HeadWords("distance (tokens)", "entropy (bits)", "share on “<b>”")
DISTANCE = [[1.5, 2.0], [0.25, 7.0]]
ENTROPY = [[0.5, 1.0], [2.0, 3.0]]
FIRST = [[0.1, 0.2], [0.9, 1.0]]


def drawn(theme=None):
    return head_points(DISTANCE, ENTROPY, FIRST, WORDS, theme or FigureTheme()).to_dict()


def patterns_of(*shape):
    return np.random.default_rng(0).dirichlet(np.ones(shape[-1]), shape[:-1]).astype(np.float32)


def test_a_point_a_head_with_axes_that_begin_at_nothing():
    spec = drawn()
    points, ring = spec["layer"]
    rows = spec["data"]["values"]
    assert [(row["layer"], row["head"]) for row in rows] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert rows[2] == {
        "name": "1-0", "layer": 1, "head": 0, "distance": 0.25, "entropy": 2.0, "first": 0.9,
    }  # fmt: skip
    axes = points["encoding"]
    for axis, field, title in (
        ("x", "distance", WORDS.distance),
        ("y", "entropy", WORDS.entropy),
    ):
        assert (axes[axis]["field"], axes[axis]["title"]) == (field, title)
        assert axes[axis]["scale"]["zero"]
    assert axes["color"]["scale"]["domain"] == [0, 1]
    assert axes["color"]["legend"]["title"] == WORDS.first
    assert ring["transform"] == [{"filter": "datum.name === chosen"}]


def test_what_is_dragged_over_stands_out_and_one_head_can_be_chosen():
    spec = drawn()
    names = {one["name"]: one for one in spec["params"]}
    assert names["brush"]["select"]["type"] == "interval"
    assert names["brush"]["views"] == [spec["layer"][0]["name"]]
    assert names["chosen"]["value"] == ""
    [condition] = spec["layer"][0]["encoding"]["opacity"]["condition"]
    assert condition["param"] == "brush"


def test_measures_of_several_shapes_are_refused():
    with pytest.raises(ValueError, match="three measures"):
        head_points(DISTANCE, ENTROPY, [[0.1], [0.2]], WORDS, FigureTheme())


def test_the_table_has_the_measures_of_every_head_and_names_the_first_token():
    patterns = patterns_of(3, 2, 4, 4)
    text = text_of(["[CLS]", "a", "b", "[SEP]"], special=[True, False, False, True])
    found = head_points_message(attention_map("encoder", patterns, text), FigureTheme())
    expected = measure_heads(patterns, np.array([False, True, True, False]))
    table = dict(zip(found["columns"], found["cells"], strict=True))
    assert table["layer"] == [0, 0, 1, 1, 2, 2]
    assert table["head"] == [0, 1] * 3
    assert table["mean distance (tokens)"] == expected.distance.ravel().tolist()
    assert table["mean entropy of a row (bits)"] == expected.entropy.ravel().tolist()
    share = table["share of the weight on the first token, “[CLS]”"]
    assert share == expected.first.ravel().tolist()
    assert found["said"].startswith("Mean over 2 rows")


def test_between_two_texts_the_distance_is_from_the_diagonal():
    patterns = patterns_of(1, 2, 3, 4)
    found = head_points_message(attention_map("cross", patterns, "abc", "wxyz"), FigureTheme())
    expected = measure_heads(patterns, np.ones(3, np.bool_), across=True)
    table = dict(zip(found["columns"], found["cells"], strict=True))
    assert table["mean distance from the diagonal (share)"] == expected.distance.ravel().tolist()
    assert "Places in either text" in found["said"]


def test_the_first_row_of_a_decoder_does_not_count_and_one_token_says_nothing():
    causal = np.triu(np.ones((3, 3), np.bool_), k=1)
    found = head_points_message(
        attention_map("decoder", patterns_of(1, 2, 3, 3), "abc", masked=causal), FigureTheme()
    )
    assert found["said"].startswith("Mean over 2 rows")
    alone = np.ones((1, 2, 1, 1), np.float32)
    found = head_points_message(attention_map("decoder", alone, "a"), FigureTheme())
    assert found == {"figure": None, "said": "No row of this text says anything of a head."}
