"""Protocol buffers written by hand: a SentencePiece file without its library."""

import struct
from collections.abc import Sequence

from core.tokenisation.piece_file import Method, Piece


def varint(number: int) -> bytes:
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def score(value: float) -> bytes:
    return varint(2 << 3 | 5) + struct.pack("<f", value)


def message(field: int, content: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(content)) + content


def piece_message(piece: Piece) -> bytes:
    content = message(1, piece.text.encode()) + score(piece.score) + number(3, piece.kind)
    return message(1, content)


def piece_file(
    pieces: Sequence[Piece],
    method: int = Method.UNIGRAM,
    trainer: bytes = b"",
    before: bytes = b"",
    after: bytes = b"",
) -> bytes:
    """A whole file; `trainer`, `before` and `after` are further fields of these messages."""
    return (
        b"".join(map(piece_message, pieces))
        + message(2, number(3, method) + trainer)
        + message(3, before)
        + message(5, after)
    )
