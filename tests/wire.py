"""Reads the messages of `app.wire`, written from the description of the layout alone."""

import json
import struct
from typing import Any

import numpy as np


def unpack(message: bytes) -> Any:
    """The value that was packed; arrays are views of the message. A NaN outside of them fails."""
    letters, version, header_length, body_length = struct.unpack_from("<4sIII", message)
    assert (letters, version) == (b"WIRE", 1)
    start = 16 + header_length
    assert start % 8 == 0
    assert len(message) == start + body_length

    def with_array(found: dict[str, Any]) -> Any:
        if "$array" not in found:
            return found
        assert list(found) == ["$array"]
        offset, dtype, shape = found["$array"]
        assert offset % 8 == 0
        wanted = np.dtype(dtype).newbyteorder("<")
        count = int(np.prod(shape, dtype=int))
        assert offset + count * wanted.itemsize <= body_length
        return np.frombuffer(message, wanted, count, start + offset).reshape(shape)

    return json.loads(message[16:start], object_hook=with_array, parse_constant=refuse)


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")
