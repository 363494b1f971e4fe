"""Pieces of a vocabulary as a person can read them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

SPACE = "␣"
CONTINUATION = "##"  # WordPiece's sign for "goes on without a space"


def _byte_alphabet() -> dict[str, int]:
    """Byte-level vocabularies spell every byte as one printable character.

    Printable bytes of Latin-1 stand for themselves; the 68 others, in order, for U+0100 onwards:
    the space (32) is ``Ġ``.
    Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", 2.2.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(0x100) if byte not in printable]
    alphabet = {chr(byte): byte for byte in printable}
    return alphabet | {chr(0x100 + number): byte for number, byte in enumerate(others)}


BYTES = _byte_alphabet()
_NO_PIECE = re.compile("row [0-9]+, no piece")
_BYTE = re.compile("<0x([0-9A-F]{2})>")  # one that no other piece has (Llama 2)


def no_piece(number: int) -> str:
    """What stands for a row of the vocabulary that has no piece: models may have rows to spare."""
    return f"row {number}, no piece"


@lru_cache(maxsize=1 << 14)  # a vocabulary's pieces come again and again
def readable(piece: str, *, byte_level: bool = False) -> str:
    r"""Write a raw piece so that nothing in it is invisible or lost.

    A leading space (``▁``, or ``Ġ`` at byte level) becomes ``␣``; control characters and other
    unprintable ones become ``U+0007``; a combining mark without its letter stands on ``◌``; bytes
    that are only a part of a character are written ``\xf0\x9f``. ``##ing`` and special tokens
    stay as they are. The result never contains U+FFFD.

    Args:
        piece: as it stands in the vocabulary.
        byte_level: whether the vocabulary spells bytes (GPT-2, RoBERTa).
    """
    if _NO_PIECE.fullmatch(piece):
        return piece
    if byte_level and all(char in BYTES for char in piece):
        piece = bytes(BYTES[char] for char in piece).decode("utf-8", errors="backslashreplace")
    elif byte := _BYTE.fullmatch(piece):
        piece = bytes.fromhex(byte[1]).decode("utf-8", errors="backslashreplace")
    prefix = CONTINUATION if piece.startswith(CONTINUATION) and len(piece) > 2 else ""
    body = piece.removeprefix(prefix)
    # A mark at the start would be drawn on whatever stands before it.
    base = "◌" if body and unicodedata.category(body[0])[0] == "M" else ""
    return prefix + base + "".join(map(_visible, body))


def _visible(char: str) -> str:
    if char in " ▁":
        return SPACE
    if char == "\N{REPLACEMENT CHARACTER}" or not char.isprintable():
        return f"U+{ord(char):04X}"
    return char
