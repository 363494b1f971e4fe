"""SentencePiece's compiled table of replacements, checked before a library follows it.

Layout: four bytes of length (little-endian), so many bytes of a double array of 32-bit units, then
the replacements, each ended by a zero byte. A lookup starts at unit 0 and, for every byte, goes to
the unit ``place ^ byte``; it goes on where that unit's lowest byte (bit 31 included) is this byte,
at ``unit ^ offset``; where bit 8 says that a key ends, ``place ^ offset`` holds a number: where its
replacement begins. The library that follows it ends its thread at a place that is not there, so
all places that any text can lead to are visited here first.

Source of the layout: Yata, "darts-clone"; the ``Precompiled`` normaliser of ``tokenizers``.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.tokenisation.errors import CharacterMapError

MAX_BYTES = 4_000_000

_BYTES = np.arange(1, 256, dtype=np.uint32)
_LABEL = np.uint32(0x800000FF)


def check_character_map(content: bytes) -> None:
    """Make sure that no text leads out of a table.

    Raises:
        CharacterMapError: one could, or it is no such table, or over its limit.
    """
    if len(content) > MAX_BYTES:
        raise CharacterMapError(f"it has {len(content):,} bytes, more than {MAX_BYTES:,}")
    size = int.from_bytes(content[:4], "little")
    if len(content) < 4 or size % 4 or not 4 <= size <= len(content) - 4:
        raise CharacterMapError("its length does not fit")
    units = np.frombuffer(content[4 : 4 + size], dtype="<u4").astype(np.uint32)
    replacements = content[4 + size :]
    try:
        replacements.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CharacterMapError("a replacement is no UTF-8") from error
    places = np.array([_offset(units[:1])[0]], dtype=np.uint32)
    seen = np.zeros(len(units), dtype=np.bool_)
    while len(places):
        places = np.unique(_inside(places, units))
        places = places[~seen[places]]
        seen[places] = True
        if not len(places):
            return
        nexts = _inside((places[:, None] ^ _BYTES).ravel(), units)
        labels = np.broadcast_to(_BYTES, (len(places), len(_BYTES))).ravel()
        nexts = nexts[(units[nexts] & _LABEL) == labels]
        found = units[nexts]
        places = nexts ^ _offset(found)
        ends = _inside(places[(found >> np.uint32(8)) & np.uint32(1) == 1], units)
        _check_starts(units[ends] & np.uint32(0x7FFFFFFF), replacements)


def check_normaliser(description: Any) -> None:
    """Check every table in the ``normalizer`` of a ``tokenizer.json``.

    Raises:
        CharacterMapError: as :func:`check_character_map`.
    """
    match description:
        case {"type": "Precompiled", "precompiled_charsmap": str(encoded)}:
            check_character_map(base64.b64decode(encoded))
        case {"normalizers": list(steps)}:
            for step in steps:
                check_normaliser(step)


def _offset(units: NDArray[np.uint32]) -> NDArray[np.uint32]:
    shift = (units & np.uint32(1 << 9)) >> np.uint32(6)
    return (units >> np.uint32(10)) << shift


def _inside(places: NDArray[np.uint32], units: NDArray[np.uint32]) -> NDArray[np.uint32]:
    if len(places) and int(places.max()) >= len(units):
        raise CharacterMapError("a lookup would leave it")
    return places


def _check_starts(starts: NDArray[np.uint32], replacements: bytes) -> None:
    if not len(starts):
        return
    if int(starts.max()) > len(replacements):
        raise CharacterMapError("a replacement would begin behind its end")
    text = np.frombuffer(replacements + b"\0", dtype=np.uint8)
    if ((text[starts] & 0xC0) == 0x80).any():
        raise CharacterMapError("a replacement would begin inside a character")
