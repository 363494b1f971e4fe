"""A text with blanks taken apart, so that words can become blanks and blanks words again.

Worked example::

    text_parts("a ___8___, b")   word "a", other " ", blank of 8, other ", ", word "b"
    with_blank("a b", part of "b", 2)    "a ___2___"
    with_blank("a b", part of "b", None)    "a ___*___"
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from core.tasks.fill_spans import BLANK, FREE, size_of

_WORD = re.compile(r"[^\W_]+(?:['’\-.,][^\W_]+)*")


class PartKind(Enum):
    """What a stretch of a text is."""

    WORD = "word"
    BLANK = "blank"
    OTHER = "other"  # spaces and punctuation


@dataclass(frozen=True)
class TextPart:
    """A stretch of a text, ``text[start:end]``.

    Attributes:
        kind: what it is.
        text: as typed.
        start, end: where it stands.
        words: of a blank, as typed: it may be more than can be filled; ``None`` for a free one, 0
            for anything else.
    """

    kind: PartKind
    text: str
    start: int
    end: int
    words: int | None = 0


def text_parts(text: str) -> tuple[TextPart, ...]:
    """All stretches of a text in their order; nothing is left out."""
    parts: list[TextPart] = []
    end = 0
    for found in BLANK.finditer(text):
        parts += _without_blanks(text, end, found.start())
        end = found.end()
        parts.append(TextPart(PartKind.BLANK, found[0], found.start(), end, size_of(found)))
    return (*parts, *_without_blanks(text, end, len(text)))


def _without_blanks(text: str, start: int, stop: int) -> list[TextPart]:
    parts, end = [], start
    for found in _WORD.finditer(text, start, stop):
        if found.start() > end:
            parts.append(TextPart(PartKind.OTHER, text[end : found.start()], end, found.start()))
        end = found.end()
        parts.append(TextPart(PartKind.WORD, found[0], found.start(), end))
    if end < stop:
        parts.append(TextPart(PartKind.OTHER, text[end:stop], end, stop))
    return parts


def with_blank(text: str, part: TextPart, words: int | None) -> str:
    """The text with a blank of so many words, or a free one, in the place of a part.

    A blank that would run into underscores beside it is set apart by a space.
    """
    blank = "___" if words == 1 else f"___{FREE if words is None else words}___"
    before, after = text[: part.start], text[part.end :]
    left = " " if before.endswith("_") else ""
    right = " " if after.startswith("_") else ""
    return f"{before}{left}{blank}{right}{after}"


def without_blank(text: str, part: TextPart, word: str) -> str:
    """The text with a word in the place of a blank; without one the space behind it goes too."""
    before, after = text[: part.start], text[part.end :]
    if not word and (not before or before[-1].isspace()):
        after = after.lstrip()
    return f"{before}{word}{after}"
