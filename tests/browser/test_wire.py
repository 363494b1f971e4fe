"""What Python packs is what JavaScript reads: the real script, in a real browser."""

import base64
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from app import wire

pytestmark = pytest.mark.browser

SCRIPT = Path(wire.__file__).parent / "static" / "js" / "lib" / "wire.js"

# `read` says in plain JSON what a message holds: strings by their code units, so that lone
# surrogates arrive, and arrays by their type, shape and bytes, so that NaN does.
SETUP = """async (source) => {
    const { partOf, PayloadError, unpack } = await import(`data:text/javascript;base64,${source}`);
    const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const describe = (value) => {
        if (typeof value === "string") return { text: [...Array(value.length).keys()].map((at) =>
            value.charCodeAt(at)) };
        if (ArrayBuffer.isView(value)) {
            const { buffer, byteOffset, byteLength, shape } = value;
            const type = value.constructor.name;
            return { type, shape, bytes: [...new Uint8Array(buffer, byteOffset, byteLength)] };
        }
        if (Array.isArray(value)) return { list: value.map(describe) };
        if (value === null || typeof value !== "object") return value;
        return { entries: Object.entries(value).map((entry) => entry.map(describe)) };
    };
    const reasonOf = (bytes) => {
        try {
            unpack(bytes);
            return null;
        } catch (error) {
            return error instanceof PayloadError ? error.reason : `${error}`;
        }
    };
    const at = (text, shift) => {
        const bytes = bytesOf(text);
        const room = new Uint8Array(bytes.length + shift);
        room.set(bytes, shift);
        return room.subarray(shift);
    };
    const read = (text, shift) => JSON.stringify(describe(unpack(at(text, shift))));
    window.wire = { at, bytesOf, describe, partOf, read, reasonOf, unpack };
}"""


READ = "([text, shift]) => wire.read(text, shift)"


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """An empty page with the reader's functions, which keep nothing."""
    page = browser.new_page()
    page.evaluate(SETUP, base64.b64encode(SCRIPT.read_bytes()).decode())
    yield page
    page.close()


def described(value: object) -> Any:
    """What `read` has to say of a value."""
    match value:
        case str():
            units = value.encode("utf-16-le", "surrogatepass")
            return {"text": np.frombuffer(units, "<u2").tolist()}
        case np.ndarray():
            name = "Uint8" if value.dtype == np.bool_ else value.dtype.name.capitalize()
            return {
                "type": f"{name}Array",
                "shape": list(value.shape),
                "bytes": list(value.tobytes()),
            }
        case list() | tuple():
            return {"list": [described(one) for one in value]}
        case dict():
            return {"entries": [[described(key), described(one)] for key, one in value.items()]}
    return value


def text(message: bytes) -> str:
    return base64.b64encode(message).decode()


def anything(source: random.Random, depth: int = 4) -> Any:
    """A value of any kind that can be packed."""
    kinds = ["text", "whole", "real", "constant", "array", "array"]
    match source.choice(kinds + ["list", "entries"] * (2 if depth else 0)):
        case "text":
            letters = 'aé\0"\\\n☃𝄞\ud800\udfff\u2028'
            return "".join(source.choices(letters, k=source.randrange(6)))
        case "whole":
            return source.choice([0, -1, 255, 2**31, wire.LARGEST_NUMBER, -wire.LARGEST_NUMBER])
        case "real":
            return source.choice([0.1, -1e-300, 1.7e308, 2 / 3, 5e-324])
        case "constant":
            return source.choice([None, True, False])
        case "list":
            return [anything(source, depth - 1) for _ in range(source.randrange(5))]
        case "entries":
            # A letter first: JavaScript puts keys that are whole numbers before all others.
            count = source.randrange(5)
            return {f"k{at}{source.random()}": anything(source, depth - 1) for at in range(count)}
    dtype = source.choice([*sorted(wire.DTYPES), "bool"])
    shape = source.choices([0, 1, 2, 3, 5, 7], k=source.randrange(4))
    count = int(np.prod(shape, dtype=int))
    if dtype == "bool":
        return np.array(source.choices([True, False], k=count), dtype=bool).reshape(shape)
    values = np.frombuffer(source.randbytes(count * np.dtype(dtype).itemsize), dtype)
    return values.reshape(shape)  # of random bytes, so some floats are not finite


def test_a_message_is_read_as_it_was_packed_at_any_address(page: Page) -> None:
    source = random.Random(0)  # noqa: S311
    values = [anything(source) for _ in range(200)]
    arrays = sum(b"$array" in wire.pack(value) for value in values)
    assert arrays > 60
    for number, value in enumerate(values):
        found = page.evaluate(READ, [text(wire.pack(value)), number % 8])
        assert json.loads(found) == described(value), value


def test_arrays_are_views_unless_their_address_forbids_it(page: Page) -> None:
    message = wire.pack({"bytes": np.arange(9, dtype=np.uint8), "reals": np.zeros(3, np.float32)})
    shared = """([text, shift]) => {
        const data = wire.at(text, shift);
        const { bytes, reals } = wire.unpack(data);
        return [bytes, reals].map(({ buffer }) => buffer === data.buffer);
    }"""
    assert page.evaluate(shared, [text(message), 0]) == [True, True]
    assert page.evaluate(shared, [text(message), 4]) == [True, True]
    assert page.evaluate(shared, [text(message), 1]) == [True, False]


def test_a_part_of_an_array_has_the_axes_that_are_left(page: Page) -> None:
    values = np.arange(2 * 3 * 4 * 5, dtype=np.int32).reshape(2, 3, 4, 5)
    part = """([text, ...indices]) =>
        JSON.stringify(wire.describe(wire.partOf(wire.unpack(wire.bytesOf(text)), ...indices)))"""
    for indices in ((1,), (1, 2), (0, 1, 3)):
        found = page.evaluate(part, [text(wire.pack(values)), *indices])
        assert json.loads(found) == described(values[indices])


def test_a_message_that_was_cut_anywhere_is_refused(page: Page) -> None:
    value = {
        "words": ["one", "\ud800"],
        "reals": np.array([1, 2, 3], np.float32),
        "byte": np.array([7], np.uint8),
    }
    message = wire.pack(value)
    reasons = page.evaluate(
        """(text) => {
            const bytes = wire.bytesOf(text);
            return [...bytes.keys()].map((end) => wire.reasonOf(bytes.slice(0, end)));
        }""",
        text(message),
    )
    assert reasons == ["cutShort"] * len(message)
    assert page.evaluate("(text) => wire.reasonOf(wire.bytesOf(text))", text(message)) is None
    longer = page.evaluate("(text) => wire.reasonOf(wire.bytesOf(text))", text(message + b"\0"))
    assert longer == "wrongFormat"


def test_a_changed_byte_is_refused_by_name_or_read_but_nothing_else_goes_wrong(page: Page) -> None:
    message = wire.pack({"reals": np.array([1, 2, 3], np.float32), "byte": np.array([7], np.uint8)})
    reasons = page.evaluate(
        """(text) => {
            const found = [];
            for (const at of wire.bytesOf(text).keys())
                for (const change of [1, 32, 128, 255]) {
                    const bytes = wire.bytesOf(text);
                    bytes[at] ^= change;
                    found.push(wire.reasonOf(bytes));
                }
            return found;
        }""",
        text(message),
    )
    assert set(reasons) == {None, "wrongFormat", "wrongVersion", "cutShort"}


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ('[0,"uint8",[9]]', "cutShort"),
        ('[8,"uint8",[1]]', "cutShort"),
        ('[0,"float32",[3]]', "cutShort"),
        ('[-8,"uint8",[1]]', "wrongFormat"),
        ('[0,"uint8",[-1]]', "wrongFormat"),
        ('[0.5,"uint8",[1]]', "wrongFormat"),
        ('[0,"uint8",["1"]]', "wrongFormat"),
        ('[0,"uint8",3]', "wrongFormat"),
        ('[0,"int64",[1]]', "wrongFormat"),
        ('[0,"toString",[1]]', "wrongFormat"),
        ('[0,"uint8",[9007199254740991,9007199254740991]]', "cutShort"),
        ("null", "wrongFormat"),
        ("{}", "wrongFormat"),
        ("[", "wrongFormat"),
    ],
)
def test_a_reference_to_nothing_is_refused(page: Page, reference: str, reason: str) -> None:
    header = f'{{"$array":{reference}}}'.encode()
    message = wire.PREAMBLE.pack(wire.MAGIC, wire.VERSION, len(header), 8) + header + bytes(8)
    found = page.evaluate("(text) => wire.reasonOf(wire.bytesOf(text))", text(message))
    assert found == reason


def test_what_is_no_message_of_this_version_is_refused(page: Page) -> None:
    def told(letters: bytes, version: int, header: bytes) -> Any:
        message = wire.PREAMBLE.pack(letters, version, len(header), 0) + header
        return page.evaluate("(text) => wire.reasonOf(wire.bytesOf(text))", text(message))

    assert told(wire.MAGIC, wire.VERSION, b"1") is None
    assert told(b"HLAM", wire.VERSION, b"1") == "wrongFormat"
    assert told(wire.MAGIC, wire.VERSION + 1, b"1") == "wrongVersion"
    assert told(wire.MAGIC, wire.VERSION, b"not JSON") == "wrongFormat"
    assert told(wire.MAGIC, wire.VERSION, b'"\xff"') == "wrongFormat"
    assert page.evaluate("() => [null, {}, 'WIRE'].map(wire.reasonOf)") == ["wrongFormat"] * 3
