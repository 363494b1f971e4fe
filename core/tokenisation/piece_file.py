"""SentencePiece's own file (``spiece.model``), read without its library.

It is one protocol buffer, ``ModelProto``: numbered fields, each a number, 4 or 8 bytes, or a length
and so many bytes. What is needed of it:

====== ================ ===============================================================
field  message          holds
====== ================ ===============================================================
1      SentencePiece    1 piece, 2 score, 3 kind; once for every piece, in order of ids
2      TrainerSpec      3 type (1 Unigram, 2 BPE), 24 whether spaces end a word, 35 bytes
3      NormalizerSpec   1 name, 2 character map, 3 to 5 what is done to spaces
5      NormalizerSpec   the same for texts that are written
====== ================ ===============================================================

Source: Kudo and Richardson 2018, "SentencePiece", and its ``sentencepiece_model.proto``; the
encoding is described at protobuf.dev.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from core.tokenisation.errors import DamagedPieceFileError

MAX_PIECES = 1_000_000
MAX_PIECE_CHARACTERS = 512

_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
_LONGEST_VARINT = 10


class PieceKind(IntEnum):
    """What a piece is for."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3  # never found in a text
    USER_DEFINED = 4  # always kept whole
    UNUSED = 5
    BYTE = 6  # spells one byte of a character that has no piece


class Method(IntEnum):
    """How texts are cut into pieces."""

    UNIGRAM = 1
    BPE = 2
    WORD = 3
    CHARACTER = 4


@dataclass(frozen=True)
class Piece:
    """One piece; its place in the file is its id."""

    text: str
    score: float = 0.0
    kind: PieceKind = PieceKind.NORMAL


@dataclass(frozen=True)
class Normalisation:
    """What is done to a text before it is cut.

    Attributes:
        name: of the rules that the map was made from.
        character_map: a compiled table of replacements, or nothing.
        dummy_prefix: whether a space is put in front.
        strip_spaces: whether spaces around are dropped and several become one.
        escape_spaces: whether spaces become ``▁``.
    """

    name: str = ""
    character_map: bytes = b""
    dummy_prefix: bool = True
    strip_spaces: bool = True
    escape_spaces: bool = True


@dataclass(frozen=True)
class PieceFile:
    """What the file says. ``suffixes``: whether a space stands at the end of a word's piece."""

    pieces: tuple[Piece, ...]
    method: Method
    before: Normalisation
    after: Normalisation
    byte_fallback: bool = False
    suffixes: bool = False


def read_piece_file(content: bytes) -> PieceFile:
    """Read the contents of the file.

    Raises:
        DamagedPieceFileError: it is no such file, or cut off, or contradicts itself.
    """
    pieces: list[Piece] = []
    trainer: dict[int, int | bytes] = {}
    normalisers: dict[int, dict[int, int | bytes]] = {3: {}, 5: {}}
    for number, value in _fields(content):
        if number == 1:
            if len(pieces) == MAX_PIECES:
                raise DamagedPieceFileError(f"it has more than {MAX_PIECES:,} pieces")
            pieces.append(_piece(_message(value)))
        elif number == 2:
            trainer |= _message(value)
        elif number in normalisers:
            normalisers[number] |= _message(value)
    if not pieces:
        raise DamagedPieceFileError("it has no pieces")
    if len({piece.text for piece in pieces}) < len(pieces):
        raise DamagedPieceFileError("a piece stands twice")
    try:
        method = Method(_number(trainer.get(3, Method.UNIGRAM)))
    except ValueError as error:
        raise DamagedPieceFileError("it is of no known type") from error
    return PieceFile(
        pieces=tuple(pieces),
        method=method,
        before=_normalisation(normalisers[3]),
        after=_normalisation(normalisers[5]),
        byte_fallback=bool(_number(trainer.get(35, 0))),
        suffixes=bool(_number(trainer.get(24, 0))),
    )


def _piece(fields: dict[int, int | bytes]) -> Piece:
    text = _text(fields.get(1, b""))
    if not 0 < len(text) <= MAX_PIECE_CHARACTERS:
        raise DamagedPieceFileError(f"a piece has {len(text):,} characters")
    raw = fields.get(2, bytes(4))
    if not isinstance(raw, bytes) or len(raw) != 4:
        raise DamagedPieceFileError("a score is no number")
    score = float(struct.unpack("<f", raw)[0])
    if not math.isfinite(score):
        raise DamagedPieceFileError("a score is no number")
    try:
        return Piece(text, score, PieceKind(_number(fields.get(3, PieceKind.NORMAL))))
    except ValueError as error:
        raise DamagedPieceFileError("a piece is of no known kind") from error


def _normalisation(fields: dict[int, int | bytes]) -> Normalisation:
    character_map = fields.get(2, b"")
    if not isinstance(character_map, bytes):
        raise DamagedPieceFileError("its character map is a number")
    return Normalisation(
        name=_text(fields.get(1, b"")),
        character_map=character_map,
        dummy_prefix=bool(_number(fields.get(3, 1))),
        strip_spaces=bool(_number(fields.get(4, 1))),
        escape_spaces=bool(_number(fields.get(5, 1))),
    )


def _message(value: int | bytes) -> dict[int, int | bytes]:
    """The fields of a message, the last of each number."""
    if not isinstance(value, bytes):
        raise DamagedPieceFileError("a number stands where a message should")
    return dict(_fields(value))


def _number(value: int | bytes) -> int:
    if not isinstance(value, int):
        raise DamagedPieceFileError("bytes stand where a number should")
    return value


def _text(value: int | bytes) -> str:
    if not isinstance(value, bytes):
        raise DamagedPieceFileError("a number stands where a text should")
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamagedPieceFileError("a text is no UTF-8") from error


def _fields(content: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Number and value of every field; numbers of fixed size as their bytes."""
    offset = 0
    while offset < len(content):
        tag, offset = _varint(content, offset)
        kind = tag & 7
        if kind == _VARINT:
            value, offset = _varint(content, offset)
            yield tag >> 3, value
            continue
        if kind == _BYTES:
            size, offset = _varint(content, offset)
        elif kind in (_FOUR_BYTES, _EIGHT_BYTES):
            size = 4 if kind == _FOUR_BYTES else 8
        else:
            raise DamagedPieceFileError(f"a field is of the kind {kind}, which is not used")
        if offset + size > len(content):
            raise DamagedPieceFileError("it is cut off")
        yield tag >> 3, content[offset : offset + size]
        offset += size


def _varint(content: bytes, offset: int) -> tuple[int, int]:
    r"""A number of seven bits a byte, the lowest first, and the offset behind it.

    ``300`` is ``10 0101100`` in binary: ``b"\xac\x02"``.
    """
    number = 0
    for count, byte in enumerate(content[offset : offset + _LONGEST_VARINT]):
        number |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return number, offset + count + 1
    raise DamagedPieceFileError("it is cut off, or no SentencePiece file")
