"""The message of two sides, and the colours of a difference."""

import re
from pathlib import Path

import numpy as np
import pytest

from app.sections.compare.compared_maps import ComparedSide, encode_maps, fits_at_once
from core.tasks import attend
from core.tasks.compare_attention import compare_attention
from tests.wire import unpack

PALETTE = Path(__file__).resolve().parents[3] / "app/static/js/lib/palette.js"
TEXT, OTHER = "The capital of France is Paris.", "The animal of France is Paris."

# What is left of linear red, green and blue without one kind of cone.
# Machado, Oliveira and Fernandes 2009, "A Physiologically-based Model for Simulation of Color
# Vision Deficiency", table for severity 1.0.
WITHOUT = {
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
    "all cones": np.eye(3).tolist(),
}
TO_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]


@pytest.fixture
def results(tiny_checkpoint):
    return attend(tiny_checkpoint, TEXT), attend(tiny_checkpoint, OTHER)


def pack(maps, **options):
    left, right = ComparedSide("One", 3, 4), ComparedSide("Two", 3, 4)
    return encode_maps(maps, left, right, **{"only": None, "choice": None, **options})


def test_every_weight_arrives_exactly(results):
    maps = compare_attention(*results)
    picture = unpack(pack(maps, choice=(7, {"layer": 1})))
    for name, weights in (("left", maps.left), ("right", maps.right)):
        side = picture[name]
        assert (side["layers"], side["heads"], side["only"], side["masked"]) == (3, 4, None, None)
        np.testing.assert_array_equal(side["weights"], weights)
    assert picture["rows"]["left"] == list(maps.rows.left_labels)
    assert picture["rows"]["special"][0] is True
    assert picture["rows"]["replaced"] == list(maps.rows.replaced) != []
    assert picture["choice"] == [7, {"layer": 1}]


def test_of_a_long_text_one_pair_comes_at_a_time(results):
    heads = ((2, 1), (0, 3))
    maps = compare_attention(*results, heads=heads)
    picture = unpack(pack(maps, only=heads))
    assert picture["left"]["only"] == [2, 1]
    assert picture["right"]["only"] == [0, 3]
    np.testing.assert_array_equal(picture["left"]["weights"][0, 0], results[0].patterns[2, 1])
    other = ((0, 0), (0, 0))
    again = unpack(pack(compare_attention(*results, heads=other), only=other))
    assert again["identity"] == picture["identity"]
    assert fits_at_once((6, 12, 144, 144), (6, 12, 144, 144))
    assert not fits_at_once((6, 12, 145, 145), (6, 12, 145, 145))


def test_masked_cells_come_as_bytes(results):
    maps = compare_attention(*results)
    maps.left_masked[0, 1] = True
    picture = unpack(pack(maps))
    assert picture["right"]["masked"] is None
    np.testing.assert_array_equal(picture["left"]["masked"], maps.left_masked)


def stops(theme):
    text = PALETTE.read_text(encoding="utf-8")
    block = re.search(r"const DIVERGING = \{(.*?)\n\};", text, re.DOTALL)
    assert block
    found = re.search(rf"{theme}: \[(.*?)\]", block[1], re.DOTALL)
    assert found
    return re.findall(r"#([0-9a-f]{6})", found[1])


def seen(colour, without):
    """Lightness and two hues as an eye of this kind sees them (CIELAB, D65)."""
    channels = np.array([int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    linear = np.clip(np.array(WITHOUT[without]) @ linear, 0, 1)
    ratio = np.array(TO_XYZ) @ linear / np.array([0.9505, 1.0, 1.089])
    root = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("without", list(WITHOUT))
def test_more_on_the_left_never_looks_like_more_on_the_right(theme, without):
    colours = [seen(colour, without) for colour in stops(theme)]
    assert len(colours) == 9
    for step in range(1, 5):
        left, right = colours[4 - step], colours[4 + step]
        # 2.3 is a just noticeable difference.
        assert np.linalg.norm(left - right) > 12
        # The same amount stands out as much on either side.
        assert abs(left[0] - right[0]) < 22
    ground = colours[4][0]
    for side in (colours[4::-1], colours[4:]):
        away = [abs(one[0] - ground) for one in side]
        assert away == sorted(away)
