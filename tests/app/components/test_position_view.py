"""What the picture of positions is handed: the numbers, and the three properties in words."""

import json
import struct

import numpy as np
import pytest

from app.components.position_view import (
    MAGIC,
    OWN,
    VERSION,
    Code,
    Scores,
    Vectors,
    position_payload,
    properties_of,
)
from core.analysis.positions import measure, products, sinusoids


def opened(blob):
    magic, version, length = struct.unpack_from("<4sII", blob)
    assert (magic, version) == (MAGIC, VERSION)
    return json.loads(blob[12 : 12 + length]), blob[12 + length :]


def floats(body, offset, count):
    return np.frombuffer(body, "<f4", count, offset)


def test_vectors_and_nearness_arrive_as_they_are():
    rows = sinusoids(6, 8)
    code = Code(
        Vectors(rows, "t", "h", [str(at) for at in range(8)]), [Scores("", products(rows))], "n", 3
    )
    header, body = opened(position_payload(code, (7, {"shown": 4, "layer": 2})))
    table, (one,) = header["table"], header["maps"]
    assert (table["rows"], table["columns"], header["count"], header["first"]) == (6, 8, 6, 3)
    assert np.array_equal(floats(body, table["offset"], 48), rows.astype("f4").ravel())
    found = measure(products(rows))
    means, least, most, before = (floats(body, at, 6) for at in one["byDistance"])
    assert means == pytest.approx(found.means, rel=1e-6)
    assert before == pytest.approx(found.before, rel=1e-6)
    assert (least <= most).all()
    # Where only the distance counts, the map is made of its first row and column.
    assert one["scores"] is None
    # A scene says nothing to this picture about another one.
    assert header["choice"] == [7, {"shown": 4}]
    assert set(header["defaults"]) == set(OWN)


def test_a_map_in_which_places_count_comes_whole():
    scores = np.arange(16.0).reshape(4, 4) ** 2
    header, body = opened(
        position_payload(Code(None, [Scores("a", scores), Scores("b", scores, 1)], "n"))
    )
    assert header["table"] is None
    assert [one["group"] for one in header["maps"]] == [0, 1]
    assert np.array_equal(floats(body, header["maps"][0]["scores"], 16), scores.ravel())


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
    header, _body = opened(position_payload(code))
    assert header["strings"]["near"] == "How near"
    assert header["strings"]["zoom"] == "positions shown"
