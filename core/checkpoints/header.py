"""The header of a safetensors file, read with bounds and believed only if it adds up.

Format: eight bytes of length (little-endian), that many bytes of JSON, then the tensors' bytes.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.hugging_face.errors import SUPPORTED_TYPES, DamagedFileError, TooLargeError, shown
from core.hugging_face.limits import MAX_HEADER_BYTES

LENGTH_BYTES = 8
MAX_DIMENSIONS = 8
# All types of the format, with the bits of a number.
ITEM_BITS = {
    **dict.fromkeys(("F4",), 4),
    **dict.fromkeys(("F6_E2M3", "F6_E3M2"), 6),
    **dict.fromkeys(("BOOL", "I8", "U8", "F8_E4M3", "F8_E5M2", "F8_E8M0"), 8),
    **dict.fromkeys(("F8_E4M3FNUZ", "F8_E5M2FNUZ"), 8),
    **dict.fromkeys(("I16", "U16", "F16", "BF16"), 16),
    **dict.fromkeys(("I32", "U32", "F32"), 32),
    **dict.fromkeys(("I64", "U64", "F64", "C64"), 64),
}


@dataclass(frozen=True)
class TensorEntry:
    """What the header says of one tensor; the bytes run from ``begin`` to before ``end``."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int

    @property
    def is_floating(self) -> bool:
        """Whether the values are numbers that weights may be stored as."""
        return self.dtype in SUPPORTED_TYPES


def read_header(path: Path) -> dict[str, TensorEntry]:
    """Read what tensors a file holds, without reading any.

    Raises:
        TooLargeError: the header is over its limit.
        DamagedFileError: the file is cut off, or the header is no JSON, or names a type that does
            not exist, or its offsets do not cover the rest of the file exactly once.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        prefix = file.read(LENGTH_BYTES)
        if len(prefix) < LENGTH_BYTES:
            raise DamagedFileError(path.name, f"it has only {len(prefix)} bytes")
        length = int.from_bytes(prefix, "little")
        if LENGTH_BYTES + length > size:
            problem = f"it has {size:,} bytes, but its header alone claims {length:,}"
            raise DamagedFileError(path.name, problem)
        if length > MAX_HEADER_BYTES:
            raise TooLargeError(f"the header of {path.name}, in bytes,", length, MAX_HEADER_BYTES)
        text = file.read(length)
    try:
        header = json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        raise DamagedFileError(path.name, "its header is not valid JSON") from error
    if not isinstance(header, dict):
        raise DamagedFileError(path.name, "its header is not a table of tensors")
    header.pop("__metadata__", None)
    entries = {key: _entry(path, key, value) for key, value in header.items()}
    _check_coverage(path, entries, size - LENGTH_BYTES - length)
    return entries


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a name stands twice")
    return table


def _entry(path: Path, key: str, value: Any) -> TensorEntry:
    match value:
        case {"dtype": str(dtype), "shape": list(shape), "data_offsets": [begin, end]}:
            pass
        case _:
            raise DamagedFileError(path.name, f"its entry for {shown(key)} is malformed")
    numbers = [*shape, begin, end]
    if any(type(number) is not int or number < 0 for number in numbers):
        raise DamagedFileError(path.name, f"its entry for {shown(key)} is malformed")
    if dtype not in ITEM_BITS:
        raise DamagedFileError(
            path.name, f"{shown(key)} is of the type {shown(dtype)}, which does not exist"
        )
    if len(shape) > MAX_DIMENSIONS or math.prod(shape) * ITEM_BITS[dtype] != 8 * (end - begin):
        problem = f"the shape of {shown(key)} does not agree with its number of bytes"
        raise DamagedFileError(path.name, problem)
    return TensorEntry(dtype, tuple(shape), begin, end)


def _check_coverage(path: Path, entries: dict[str, TensorEntry], size: int) -> None:
    position = 0
    for key, entry in sorted(entries.items(), key=lambda item: (item[1].begin, item[1].end)):
        if entry.begin != position:
            problem = f"{shown(key)} begins at byte {entry.begin:,}, not {position:,}"
            raise DamagedFileError(path.name, problem)
        position = entry.end
    if position != size:
        problem = f"its tensors take {position:,} bytes, but the file has room for {size:,}"
        raise DamagedFileError(path.name, problem)
