"""The words that the reader has changed, as one setting of the page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from core.tokenisation import Encoding

ONE = re.compile(r"([0-9]{1,4}):([^:,]*)")

Edits = Mapping[int, str]


def read_edits(written: str) -> dict[int, str]:
    """New words by the numbers of the old ones; what cannot be read is passed over.

    >>> read_edits("7:banana,12:very%20slow,x:1"), read_edits("")
    ({7: 'banana', 12: 'very slow'}, {})
    """
    found = map(ONE.fullmatch, written.split(","))
    return {int(one[1]): unquote(one[2]) for one in found if one}


def write_edits(edits: Edits) -> str:
    """The inverse of :func:`read_edits`.

    >>> write_edits({12: "very slow", 7: "banana"})
    '7:banana,12:very%20slow'
    """
    return ",".join(
        f"{number}:{quote(edits[number], safe='', errors='replace')}" for number in sorted(edits)
    )


@dataclass(frozen=True)
class Edited:
    """A sentence in which words stand for others.

    Attributes:
        text: the whole of it.
        ranges: where each word of the sentence, or what the reader wrote for it, now stands; an
            empty range for a word that was taken out.
        changed: numbers of the words that are others now.
    """

    text: str
    ranges: Sequence[tuple[int, int]]
    changed: frozenset[int]

    def word_at(self, start: int) -> int | None:
        """The number of the word whose range holds a character; ``None`` between words."""
        for number, (first, end) in enumerate(self.ranges):
            if first <= start < end:
                return number
        return None

    def spelling(self, number: int) -> str:
        """What stands in the place of a word."""
        start, end = self.ranges[number]
        return self.text[start:end]


def edited(encoding: Encoding, edits: Edits) -> Edited:
    """Put new words in the place of old ones.

    Of "the cat sat" with the edits {1: "big dog", 2: ""}::

        text    "the big dog "
        ranges  (0, 3), (4, 11), (12, 12)

    Args:
        encoding: of the sentence as typed.
        edits: numbers that are no words of it, and words as they stood, are passed over.
    """
    typed = encoding.texts[0]
    written, end = "", 0
    ranges: list[tuple[int, int]] = []
    changed = set()
    for number, span in enumerate(encoding.spans):
        old = typed[span.start : span.end]
        new = edits.get(number, old)
        if new != old:
            changed.add(number)
        written += typed[end : span.start]
        ranges.append((len(written), len(written) + len(new)))
        written += new
        end = span.end
    return Edited(written + typed[end:], tuple(ranges), frozenset(changed))
