"""SentencePiece's compiled table of replacements, checked before anything follows it.

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
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import NormalizedString

from core.tokenisation.errors import CharacterMapError

MAX_BYTES = 4_000_000

_BYTES = np.arange(1, 256, dtype=np.uint32)
_LABEL = np.uint32(0x800000FF)


class CharacterMap:
    """A table followed as SentencePiece does: at every place of a text the longest key counts.

    The library's own ``Precompiled`` looks at a letter with all its accents and takes the first key
    that begins it, so that a letter with two accents, or a syllable in letters, loses some. An
    object of this class is a normaliser for ``tokenizers.normalizers.Normalizer.custom``.
    """

    def __init__(self, content: bytes, symbols: Iterable[str] = ()) -> None:
        """Take a table, and symbols that are kept as they are.

        Raises:
            CharacterMapError: as :func:`check_character_map`.
        """
        check_character_map(content)
        size = int.from_bytes(content[:4], "little")
        self._units: list[int] = np.frombuffer(content[4 : 4 + size], dtype="<u4").tolist()
        self._replacements = content[4 + size :]
        self._symbols = sorted(filter(None, symbols), key=len, reverse=True)

    def normalize(self, text: NormalizedString) -> None:
        """Replace in a text, in the library's form, which remembers where everything came from."""
        keep: list[bool] = []
        chars: list[str] = []
        longer: dict[str, str] = {}  # what becomes longer, behind a character of its own
        whole = text.normalized
        free = (chr(number) for number in range(0xF0000, 0xFFFFE) if chr(number) not in whole)
        for length, new in self._matches(whole):
            keep += [at < len(new) for at in range(length)]
            if len(new) <= length:
                chars += new
                continue
            stands_for = next((one for one, other in longer.items() if other == new), None)
            if stands_for is None:
                stands_for = next(free)
                longer[stands_for] = new
            keep[-length:] = [at == 0 for at in range(length)]
            chars.append(stands_for)
        if not longer and all(keep) and "".join(chars) == whole:
            return
        kept, drawn = iter(keep), iter(chars)
        text.filter(lambda _char: next(kept))
        text.map(lambda _char: next(drawn))
        for stands_for, new in longer.items():
            text.replace(stands_for, new)

    def _matches(self, text: str) -> Iterator[tuple[int, str]]:
        """How many characters come next, and what they become."""
        content = text.encode()
        at = begin = 0  # in characters, in bytes
        while at < len(text):
            symbol = next((one for one in self._symbols if text.startswith(one, at)), None)
            found = None if symbol is not None else self._longest(content, begin)
            if symbol is not None:
                old = new = symbol
            elif found is not None:
                old, new = content[begin : begin + found[0]].decode(), found[1]
            else:
                old = new = text[at]
            yield len(old), new
            at += len(old)
            begin += len(old.encode())

    def _longest(self, content: bytes, begin: int) -> tuple[int, str] | None:
        """The number of bytes of the longest key that begins here, and its replacement."""
        units = self._units
        place, value, size = _follow(units[0]), None, 0
        for count in range(1, len(content) - begin + 1):
            byte = content[begin + count - 1]
            place ^= byte
            if not byte or units[place] & 0x800000FF != byte:
                break
            unit = units[place]
            place ^= _follow(unit)
            if unit >> 8 & 1:
                value, size = units[place] & 0x7FFFFFFF, count
        if value is None:
            return None
        end = self._replacements.find(b"\0", value)
        return size, self._replacements[value : end if end >= 0 else None].decode()


def _follow(unit: int) -> int:
    return unit >> 10 << ((unit & 1 << 9) >> 6)


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
