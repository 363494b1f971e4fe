"""The tokens that ran, as chips; choosing one hides its word or shows it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import streamlit as st

from app.i18n import _
from app.parts.scripts import script_component


@dataclass(frozen=True)
class Chip:
    """One token.

    Args:
        piece: as it is without being hidden.
        word: its number; None for a token of no word, which cannot be hidden.
        typed: whether it is a mask that stands in the text.
        mask: which of the masks it is, or would be chosen by it; None where it is none.
    """

    piece: str
    word: int | None
    typed: bool = False
    mask: int | None = None

    @property
    def special(self) -> bool:
        """Whether nothing can be done to it."""
        return self.word is None


def mask_strip(
    chips: Sequence[Chip],
    hidden: Sequence[int],
    *,
    mask_token: str,
    selected: int,
    note: str,
    key: str,
    on_hide: Callable[[], None],
    on_mask: Callable[[], None],
) -> None:
    """Draw the strip.

    Args:
        chips: all tokens in order.
        hidden: numbers of the hidden words.
        mask_token: what stands in the place of a hidden token.
        selected: position of the token whose mask is looked at, -1 for none.
        note: what is said below the chips.
        key: identity of this strip on its page.
        on_hide: called when the reader hides or shows a word; `hidden_words(key)` then says which
            are hidden.
        on_mask: called when the reader chooses a mask of the text; its number is `mask` in what
            the session keeps under ``key``.
    """
    data = {
        "tokens": [{**asdict(chip), "special": chip.special} for chip in chips],
        "hidden": list(hidden),
        "maskToken": mask_token,
        "selected": selected,
        "note": note,
        "answered": st.session_state.get(f"{key}-stamp", 0),
        "strings": {
            "words": _("Tokens: choose one to hide its word, or to show it again"),
            "hidden": _("{word}, hidden: {mask}"),
            "typed": _("{mask}, written in the text"),
        },
    }
    script_component("js/parts/mask_strip", "mask-strip")(
        data=data, key=key, on_hide_change=on_hide, on_mask_change=on_mask
    )


def hidden_words(key: str) -> tuple[int, ...]:
    """The words that the reader has just hidden; call it in `on_hide`."""
    said = st.session_state[key].hide
    st.session_state[f"{key}-stamp"] = said["stamp"]
    return tuple(int(word) for word in said["words"])
