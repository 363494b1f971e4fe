"""A text as words to click and blanks with sizes to choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from app.i18n import _
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
            `wanted_change(key)` then says which.
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


def wanted_change(key: str) -> Change:
    """What the reader has just asked for; call it in `on_change`."""
    said = st.session_state[key].change
    words = said["words"]
    return Change(str(said["text"]), int(said["part"]), None if words is None else int(words))
