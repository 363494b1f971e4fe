"""A text as words to click and blanks with sizes to choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.i18n import _
from app.parts.said import answered, read_number, said
from app.parts.scripts import script_component
from core.tasks.blank_parts import PartKind, TextPart

SIZES = (1, 2, 4, 8, 16, 32, 64, 512)  # those that are one choice away


@dataclass(frozen=True)
class Change:
    """What the reader wants of one part of a text.

    Args:
        text: the text that was seen when it was wanted.
        part: number of the part.
        words: of the blank that it is to be; 0 for no blank, None for a free one.
    """

    text: str
    part: int
    words: int | None


def blank_strip(
    text: str,
    parts: Sequence[TextPart],
    *,
    most: int,
    key: str,
    on_change: Callable[[], None],
) -> None:
    """Draw the strip.

    Args:
        text: what is taken apart.
        parts: all of it, in order.
        most: words of the largest blank.
        key: identity of this strip on its page.
        on_change: called when a word is to become a blank, or a blank another one or a word;
            `wanted_changes(key)` then says which.
    """
    data = {
        "text": text,
        "parts": [
            {"kind": one.kind.value, "text": one.text, "words": one.words}
            for one in parts
            if one.kind is not PartKind.OTHER or one.text.strip()
        ],
        "numbers": [
            number
            for number, one in enumerate(parts)
            if one.kind is not PartKind.OTHER or one.text.strip()
        ],
        "sizes": list(SIZES),
        "most": most,
        "answered": answered(key, "change"),
        "strings": {
            "words": _("Words: choose one to make it a blank"),
            "size": _("words in blank {number}"),
            "one": _("1 word"),
            "several": _("{count} words"),
            "free": _("free"),
            "other": _("other…"),
            "remove": _("Take blank {number} away"),
        },
    }
    script_component("sections/spans/blank_strip", "blank-strip")(
        data=data, key=key, on_change_change=on_change
    )


def wanted_changes(key: str) -> list[Change]:
    """What the reader has just asked for, in the order of the presses; call it in `on_change`."""
    found = []
    for message in said(key, "change"):
        text, words = message.get("text"), message.get("words", "")
        part, size = read_number(message.get("part")), read_number(words)
        if isinstance(text, str) and part is not None and (words is None or size is not None):
            found.append(Change(text, part, size))
    return found
