"""Blobs of bytes for our components: a JSON header, then arrays that start at even places.

Layout, little endian throughout::

    magic, four letters | version uint32 | header length uint32 | header, JSON in UTF-8 | body

The header is padded with spaces so that the body starts on a multiple of eight bytes, and every
array of the body starts on a multiple of eight again.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

ALIGNMENT: Final = 8

_PREAMBLE: Final = struct.Struct("<4sII")


class Body:
    """Collects arrays, each padded to the alignment, and says where they start in the body."""

    def __init__(self) -> None:
        self.parts: list[bytes | memoryview] = []
        self.length = 0

    def add(self, array: NDArray[Any]) -> int:
        """Append an array; returns its offset in bytes."""
        offset = self.length
        padding = bytes(-array.nbytes % ALIGNMENT)
        self.parts += [np.ascontiguousarray(array).data.cast("B"), padding]
        self.length += array.nbytes + len(padding)
        return offset


def pack(magic: bytes, version: int, header: dict[str, Any], body: Body) -> bytes:
    """Put a blob together.

    Args:
        magic: four letters that name the kind of blob.
        version: of its header.
        header: what JSON can say; lone surrogates reach the browser too.
        body: the arrays, whose offsets the header holds.
    """
    # Lone surrogates cannot be UTF-8; escaped as \udXXX they can.
    text = json.dumps(header, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    text += b" " * (-(_PREAMBLE.size + len(text)) % ALIGNMENT)
    return b"".join([_PREAMBLE.pack(magic, version, len(text)), text, *body.parts])
