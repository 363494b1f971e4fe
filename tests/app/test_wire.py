"""What can be packed into one message for the browser, and what is refused."""

import tracemalloc
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pytest

from app import wire
from tests.wire import unpack


@dataclass(frozen=True)
class Word:
    text: str
    scores: np.ndarray


def test_arrays_come_back_where_they_stood():
    numbers = np.arange(6, dtype=np.float32).reshape(2, 3)
    found = unpack(wire.pack({"deep": [{"numbers": numbers}, "text", 1.5, None, True, (2,)]}))
    read = found["deep"][0].pop("numbers")
    np.testing.assert_array_equal(read, numbers)
    assert read.dtype == np.float32
    assert found == {"deep": [{}, "text", 1.5, None, True, [2]]}


def test_dataclasses_and_other_mappings_are_read_as_plain_ones():
    word = Word("one", np.arange(3, dtype=np.uint8))
    found = unpack(wire.pack([word, MappingProxyType({"a": 1})]))
    assert found[0]["text"] == "one"
    np.testing.assert_array_equal(found[0]["scores"], [0, 1, 2])
    assert found[1] == {"a": 1}


@pytest.mark.parametrize("dtype", sorted(wire.DTYPES))
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (3, 5, 7)])
def test_every_dtype_keeps_its_shape_and_its_numbers(dtype, shape):
    values = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    before, read, after = unpack(wire.pack([np.array([1], np.int8), values, "x"]))
    assert (read.dtype, read.shape) == (np.dtype(dtype), shape)
    np.testing.assert_array_equal(read, values)
    assert (before.tolist(), after) == ([1], "x")


def test_arrays_of_any_order_of_bytes_axes_and_steps_are_read_as_they_are():
    numbers = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    some = [numbers.T, numbers[:, ::-2, 1:], numbers.astype(">f4"), np.asfortranarray(numbers)]
    for one, read in zip(some, unpack(wire.pack(some)), strict=True):
        np.testing.assert_array_equal(read, one)


def test_booleans_are_bytes_and_arrays_may_hold_what_is_not_finite():
    read = unpack(wire.pack([np.array([[True, False]]), np.array([np.nan, -np.inf], np.float32)]))
    assert (read[0].dtype, read[0].tolist()) == (np.uint8, [[1, 0]])
    np.testing.assert_array_equal(read[1], [np.nan, -np.inf])


def test_lone_surrogates_and_keys_of_any_text_survive():
    value = {"\ud800": "a\udfff", "": "שלום 👩‍🔬", "__proto__": "</script>"}
    message = wire.pack(value)
    assert unpack(message) == value
    assert b"\\ud800" in message


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, np.float64("nan"), 2**53])
def test_numbers_that_the_browser_would_change_are_refused(number):
    for value in (number, [number], {"deep": (number,)}):
        with pytest.raises(ValueError, match=r"plain number cannot be|does not know"):
            wire.pack(value)


@pytest.mark.parametrize(
    "value",
    [
        {1: "one"},
        {None: 1},
        {"a", "b"},
        b"bytes",
        object(),
        Word,
        np.float32(1),
        np.arange(2),
        np.array([1], np.float16),
        np.array(["text"]),
        np.array([None]),
    ],
)
def test_what_has_no_counterpart_is_refused_by_name(value):
    with pytest.raises(TypeError, match=r"must be a string|cannot be sent|no counterpart"):
        wire.pack([value])


def test_a_dictionary_that_looks_like_an_array_is_refused():
    with pytest.raises(ValueError, match="stands for an array"):
        wire.pack({"$array": [0, "uint8", [1]]})


def test_a_large_array_is_copied_once():
    large = np.zeros((8, 512, 512), dtype=np.uint8)
    tracemalloc.start()
    message = wire.pack({"levels": large})
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(message) < large.nbytes + 200
    assert most < 1.01 * large.nbytes
