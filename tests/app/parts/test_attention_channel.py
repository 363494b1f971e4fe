"""Questions as a browser writes them, and answers as it reads them."""

import numpy as np
import pytest

from app.parts.attention_channel import (
    Answer,
    Ask,
    CellAnswer,
    CellAsk,
    HeadAsk,
    encode_answer,
    read_ask,
)
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


def test_an_answer_is_read_back():
    generator = np.random.default_rng(0)
    levels = generator.integers(0, 256, (2, 3, 5), dtype=np.uint8)
    rows = generator.random((2, 5), dtype=np.float32)
    products = generator.random(7, dtype=np.float32)
    about = CellAsk("maps", 1, 0, (2, 0), 4)
    breakdown = {"dot": 1.5, "bias": None, "allowed": False, "maskedScore": float("-inf")}
    cell = CellAnswer(about, rows, {"sum": 1.0}, breakdown, products)
    similar = (HeadAsk("maps", 0, 1), [(1, 1, 0.25)])
    answer = Answer(4, "maps", {3: levels, 1: levels[::-1]}, cell, similar)
    found = unpack(encode_answer(answer, "more", (2, {"layer": 1, "view": "grid"})))

    assert (found["channel"], found["number"], found["set"]) == ("more", 4, "maps")
    layers = dict(found["layers"])
    assert layers[3].dtype == np.uint8
    np.testing.assert_array_equal(layers[3], levels)
    np.testing.assert_array_equal(layers[1], levels[::-1])
    written = found["cell"]
    assert [written[name] for name in ("layer", "head", "queries", "key")] == [1, 0, [2, 0], 4]
    np.testing.assert_array_equal(written["rows"], rows)
    assert written["measures"] == {"sum": 1.0}
    np.testing.assert_array_equal(written["breakdown"].pop("products"), products)
    assert written["breakdown"] == {
        "dot": 1.5,
        "bias": None,
        "allowed": False,
        "maskedScore": None,
    }
    assert found["similar"]["heads"] == [{"layer": 1, "head": 1, "distance": 0.25}]
    assert found["choose"] == {"number": 2, "settings": {"layer": 1, "view": "grid"}}


def test_an_empty_answer_says_so():
    found = unpack(encode_answer(Answer(), "more"))
    assert (found["number"], found["layers"]) == (0, [])
    assert found["cell"] is found["similar"] is found["choose"] is None
