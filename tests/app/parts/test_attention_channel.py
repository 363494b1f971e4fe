"""Questions as a browser writes them, and answers as it reads them."""

import numpy as np
import pytest

from app.parts.attention_channel import Ask, CellAsk, HeadAsk, PointsAsk, answer_to, read_ask
from app.wire import pack
from core.tasks import Weight
from tests.attention_maps import attention_map
from tests.wire import unpack

CELL = {"set": "maps", "layer": 1, "head": 2.0, "queries": [3, 4], "key": 5}
QUESTION = {
    "number": 9,
    "set": "maps",
    "layers": [2, 0, 2],
    "cell": CELL,
    "similar": {"set": "maps", "layer": 0, "head": 0},
}


def read(**changes: object) -> Ask:
    found = read_ask({**QUESTION, **changes})
    assert found is not None
    return found


def test_a_question_is_read():
    assert read_ask(QUESTION) == Ask(
        9, "maps", (2, 0), CellAsk("maps", 1, 2, (3, 4), 5), HeadAsk("maps", 0, 0)
    )
    assert read_ask({"number": 1}) == Ask(1)
    row = read(cell={**CELL, "key": None}).cell
    assert row == CellAsk("maps", 1, 2, (3, 4), None)


@pytest.mark.parametrize(
    "written",
    [None, 3, [], {}, {"number": 0}, {"number": -1}, {"number": True}, {"number": 2**60}],
)
def test_what_is_no_question_is_none(written):
    assert read_ask(written) is None


@pytest.mark.parametrize(
    "layers", [None, "012", [-1], [1.5], [True], [10_000], ["1"], list(range(101)), [float("nan")]]
)
def test_layers_that_cannot_be_meant_are_left_out(layers):
    whole = read()
    assert read(layers=layers) == Ask(9, "maps", (), whole.cell, whole.similar)


@pytest.mark.parametrize(
    "change",
    [
        {"layer": None},
        {"head": -1},
        {"head": "1"},
        {"queries": []},
        {"queries": 3},
        {"queries": [0, -1]},
        {"queries": list(range(513))},
        {"key": -1},
        {"key": "first"},
        {"set": 3},
        {"set": "x" * 65},
    ],
)
def test_a_cell_that_cannot_be_meant_is_left_out(change):
    found = read(cell={**CELL, **change})
    assert found == Ask(9, "maps", (2, 0), None, HeadAsk("maps", 0, 0))


def test_an_answer_can_be_sent():
    patterns = np.random.default_rng(0).dirichlet(np.ones(5), (4, 2, 3)).astype(np.float32)
    maps = attention_map("cross", patterns, list("abc"), list("stuvw"))
    products = np.arange(7, dtype=np.float32)
    weight = Weight(products, 21.0, 0.5, None, 10.5, False, float("-inf"), 3.0, 0.0, 1.0, 0.0)
    asked = Ask(4, "", (3, 1, 9), CellAsk("maps", 1, 0, (2, 0), 4), HeadAsk("maps", 0, 1))
    found = unpack(pack(answer_to(asked, {"maps": maps}, lambda _one, _cell: weight)))

    assert (found["number"], found["set"]) == (4, "maps")
    layers = dict(found["layers"])
    assert list(layers) == [3, 1]
    assert layers[3].dtype == np.uint8
    largest = patterns[3].max(axis=-1, keepdims=True)
    np.testing.assert_allclose(layers[3] * (largest / 255), patterns[3], atol=1 / 510)
    written = found["cell"]
    assert [written[name] for name in ("layer", "head", "queries", "key")] == [1, 0, [2, 0], 4]
    np.testing.assert_array_equal(written["rows"], patterns[1, 0, [2, 0]])
    assert written["measures"]["mostEntropy"] == pytest.approx(np.log2(5))
    breakdown = written["breakdown"]
    np.testing.assert_array_equal(breakdown["products"], products)
    assert [breakdown[name] for name in ("dot", "bias", "allowed")] == [21, None, False]
    assert breakdown["maskedScore"] is None
    near = [(one["layer"], one["head"]) for one in found["similar"]["heads"]]
    assert len(near) == 6
    assert (0, 1) not in near


@pytest.mark.parametrize("points", [None, 3, {}, {"set": "maps"}, {"set": "maps", "dark": 1}])
def test_points_that_cannot_be_meant_are_left_out(points):
    assert read(points=points).points is None


def test_heads_as_points_come_for_the_maps_that_are_shown():
    assert read(points={"set": "maps", "dark": True}).points == PointsAsk("maps", True)
    patterns = np.random.default_rng(0).dirichlet(np.ones(5), (4, 2, 5)).astype(np.float32)
    maps = {"maps": attention_map("encoder", patterns, list("abcde"))}
    found = unpack(pack(answer_to(Ask(4, points=PointsAsk("maps", True)), maps)))["points"]
    assert (found["set"], found["dark"]) == ("maps", True)
    assert len(found["cells"][0]) == 8
    assert answer_to(Ask(4, points=PointsAsk("other", True)), maps)["points"] is None


def test_an_empty_answer_says_so():
    found = answer_to(None, {})
    assert (found["number"], found["layers"]) == (0, [])
    assert found["cell"] is found["similar"] is None
