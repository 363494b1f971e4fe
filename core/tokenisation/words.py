"""Words as a person sees them, whatever the vocabulary makes of them."""

from __future__ import annotations

import unicodedata
from enum import Enum, auto
from functools import lru_cache

_APOSTROPHES = "'’"
_HAN = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))


class _CharacterClass(Enum):
    LETTER = auto()  # letters and digits
    SYMBOL = auto()  # emoji and the like
    SINGLE = auto()  # punctuation and Han characters: each is a word of its own
    INVISIBLE = auto()  # combining marks, joiners, controls: part of the word before them
    SPACE = auto()


@lru_cache(maxsize=1 << 14)  # of one character, asked for millions of them
def _kind(char: str) -> _CharacterClass:
    if char.isspace():
        return _CharacterClass.SPACE
    category = unicodedata.category(char)
    if category[0] == "M" or category in ("Cc", "Cf"):
        return _CharacterClass.INVISIBLE
    if category[0] in "LN" or char == "_":
        han = any(first <= ord(char) <= last for first, last in _HAN)
        return _CharacterClass.SINGLE if han else _CharacterClass.LETTER
    return _CharacterClass.SYMBOL if category in ("So", "Sk") else _CharacterClass.SINGLE


def split_words(text: str) -> list[tuple[int, int]]:
    """Start and end of every word, in characters.

    ``"I don't, 3.5!"`` has the words ``I``, ``don't``, ``,``, ``3.5`` and ``!``: apostrophes
    between letters and points between digits belong to the word.
    """
    kinds = [_kind(char) for char in text]
    words: list[tuple[int, int]] = []
    open_kind = _CharacterClass.SPACE  # of the word that may still grow
    for index, kind in enumerate(kinds):
        if kind is _CharacterClass.SPACE:
            open_kind = kind
            continue
        if kind is _CharacterClass.SINGLE and _joins(text, kinds, index):
            kind = _CharacterClass.LETTER
        grows = kind is open_kind and kind is not _CharacterClass.SINGLE
        if grows or (kind is _CharacterClass.INVISIBLE and open_kind is not _CharacterClass.SPACE):
            words[-1] = (words[-1][0], index + 1)
        elif kind is not _CharacterClass.INVISIBLE:
            words.append((index, index + 1))
            open_kind = kind
    return words


def _joins(text: str, kinds: list[_CharacterClass], index: int) -> bool:
    if not 0 < index < len(text) - 1:
        return False
    if text[index] in _APOSTROPHES:
        inside = (_CharacterClass.LETTER, _CharacterClass.INVISIBLE)
        return kinds[index - 1] in inside and kinds[index + 1] is _CharacterClass.LETTER
    return text[index] in ".," and text[index - 1].isdigit() and text[index + 1].isdigit()
