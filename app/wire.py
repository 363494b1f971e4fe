"""Values with arrays in them as one message of bytes; `static/js/lib/wire.js` reads it.

Layout, little endian throughout::

    "WIRE" | version uint32 | header length uint32 | body length uint32 | header | body

The header is the value as JSON in ASCII. Where an array stood it holds a reference,
``{"$array": [offset in the body, dtype, shape]}``; the bytes of the array lie in the body, in C
order. Header, body and every array in it start on a multiple of eight bytes.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MAGIC: Final = b"WIRE"
VERSION: Final = 1
ALIGNMENT: Final = 8
PREAMBLE: Final = struct.Struct("<4sIII")
REFERENCE: Final = "$array"
# Those that have a typed array of plain numbers in JavaScript; booleans travel as uint8.
DTYPES: Final = frozenset(
    ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64")
)
LARGEST_NUMBER: Final = 2**53 - 1  # beyond it JavaScript cannot tell two whole numbers apart


def pack(value: object) -> bytes:
    """Put a value into one message.

    Args:
        value: strings (with lone surrogates, too), numbers, booleans, None, NumPy arrays of
            any shape, and lists, tuples, mappings with string keys and dataclasses of these.

    Raises:
        TypeError: something else is in it, or an array of a dtype that is not in `DTYPES`.
        ValueError: a number is not finite or beyond `LARGEST_NUMBER`, or a key is `REFERENCE`.
            Arrays may hold what is not finite.
    """
    body = _Body()
    # Lone surrogates cannot be UTF-8; escaped as \udXXX they can.
    text = json.dumps(_described(value, body), ensure_ascii=True, separators=(",", ":"))
    header = text.encode("ascii")
    header += b" " * (-len(header) % ALIGNMENT)
    preamble = PREAMBLE.pack(MAGIC, VERSION, len(header), body.length)
    return b"".join([preamble, header, *body.parts])


class _Body:
    """The arrays of a message, each padded to the alignment; they are copied by the join alone."""

    def __init__(self) -> None:
        self.parts: list[memoryview | bytes] = []
        self.length = 0

    def add(self, array: NDArray[Any]) -> dict[str, Any]:
        """Append an array; returns the reference that stands for it."""
        if array.dtype == np.bool_:
            array = array.view(np.uint8)
        name = array.dtype.name
        if name not in DTYPES:
            raise TypeError(f"An array of {name} has no counterpart in the browser.")
        reference = {REFERENCE: [self.length, name, array.shape]}
        flat = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).reshape(-1)
        padding = bytes(-flat.nbytes % ALIGNMENT)
        self.parts += [flat.view(np.uint8).data, padding]
        self.length += flat.nbytes + len(padding)
        return reference


def _described(value: object, body: _Body) -> object:
    """The value as JSON can say it; its arrays go into the body."""
    match value:
        case None | bool() | str():
            return value
        case int():
            if abs(value) > LARGEST_NUMBER:
                raise ValueError(f"JavaScript does not know the whole number {value} exactly.")
            return value
        case float():
            if not math.isfinite(value):
                raise ValueError(f"A plain number cannot be {value}; an array may hold it.")
            return value
        case np.ndarray():
            return body.add(value)
        case list() | tuple():
            return [_described(one, body) for one in value]
        case Mapping():
            for key in value:
                if not isinstance(key, str):
                    raise TypeError(f"A key must be a string, not {key!r}.")
            if REFERENCE in value:
                raise ValueError(f"The key {REFERENCE!r} stands for an array.")
            return {key: _described(one, body) for key, one in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: _described(getattr(value, one.name), body) for one in fields(value)}
    raise TypeError(f"{type(value).__name__} cannot be sent to the browser.")
