"""What the picture of positions is handed: the numbers, and the three properties in words."""

import numpy as np
import pytest

from app.sections.positions.position_view import (
    OWN,
    Code,
    Scores,
    Vectors,
    position_payload,
    properties_of,
)
from core.analysis.positions import measure, products, sinusoids
from tests.wire import unpack


def test_vectors_and_nearness_arrive_as_they_are():
    rows = sinusoids(6, 8)
    code = Code(
        Vectors(rows, "t", "h", [str(at) for at in range(8)]), [Scores("", products(rows))], "n", 3
    )
    picture = unpack(position_payload(code, (7, {"shown": 4, "layer": 2})))
    table, (one,) = picture["table"], picture["maps"]
    assert (table["columns"], picture["count"], picture["first"]) == (8, 6, 3)
    np.testing.assert_array_equal(table["values"], rows.astype(np.float32))
    found = measure(products(rows))
    for name in ("means", "least", "most", "before"):
        assert one[name] == pytest.approx(getattr(found, name), rel=1e-6)
    # Where only the distance counts, the map is made of its first row and column.
    assert one["scores"] is None
    # A scene says nothing to this picture about another one.
    assert picture["choice"] == [7, {"shown": 4}]
    assert set(picture["defaults"]) == set(OWN)


def test_a_map_in_which_positions_count_comes_whole():
    scores = np.arange(16.0).reshape(4, 4) ** 2
    picture = unpack(
        position_payload(Code(None, [Scores("a", scores), Scores("b", scores, 1)], "n"))
    )
    assert picture["table"] is None
    assert [one["group"] for one in picture["maps"]] == [0, 1]
    np.testing.assert_array_equal(picture["maps"][0]["scores"], scores)


def test_the_three_properties_are_said_with_the_numbers_that_decide():
    found = measure(products(sinusoids(50, 128)))
    monotone, invariant, symmetric = properties_of(found, 50)
    assert (monotone["holds"], monotone["verdict"]) == (False, "fails")
    assert monotone["words"].startswith("42.34 at distance 11, 42.38 at 12")
    assert (invariant["holds"], symmetric["holds"]) == (True, True)
    assert "rounding" in invariant["words"]
    distance = np.arange(5)[None, :] - np.arange(5)[:, None]
    monotone, invariant, symmetric = properties_of(measure(-1.0 * distance), 5)
    assert monotone == {
        "title": "Monotonicity",
        "holds": True,
        "verdict": "holds",
        "words": "Nearness falls at every one of 4 steps.",
    }
    assert invariant["words"] == "Pairs equally far apart differ by 0 at most."
    assert symmetric["words"] == "Pairs and the same turned round differ by 8.00 at most."


def test_numbers_that_are_close_are_told_apart():
    def words(near, far):
        distance = np.abs(np.arange(3)[None, :] - np.arange(3)[:, None])
        return properties_of(measure(np.choose(distance, [1.0, near, far])), 3)[0]["words"]

    assert words(0.012, 0.0142).startswith("0.012 at distance 1, 0.014 at 2;")
    assert words(-0.6, -0.59995).startswith("−0.6000 at distance 1, −0.59")
    assert words(0.11, 0.11).startswith("0.11 at distance 1, 0.11 at 2;")


def test_what_is_no_position_is_called_otherwise():
    code = Code(None, [Scores("a", np.eye(2))], "n", strings={"near": "How near"})
    picture = unpack(position_payload(code))
    assert picture["strings"]["near"] == "How near"
    assert picture["strings"]["zoom"] == "positions shown"
