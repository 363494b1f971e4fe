"""The tokens that ran, as chips; choosing one hides its word or shows it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from app.i18n import _
from app.parts.said import answered, read_numbers, said
from app.parts.scripts import script_component

MOST_WORDS: Final = 512  # that can be hidden: as many as any of our models reads at once


@dataclass(frozen=True)
class Chip:
    """One token.

    Args:
        piece: as it is without being hidden.
        word: its number; None for a token of no word, which cannot be hidden.
        typed: whether it is a mask that stands in the text.
    """

    piece: str
    word: int | None
    typed: bool = False

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
        on_mask: called when the reader chooses a mask of the text, which is `said` as ``mask``: its
            `number` among all masks.
    """
    data = {
        "tokens": [{**asdict(chip), "special": chip.special} for chip in chips],
        "hidden": list(hidden),
        "maskToken": mask_token,
        "selected": selected,
        "note": note,
        "answered": answered(key, "hide", "mask"),
        "strings": {
            "words": _("Tokens: choose one to hide its word, or to show it again"),
            "hidden": _("{word}, hidden: {mask}"),
            "typed": _("{mask}, written in the text"),
        },
    }
    script_component("js/parts/mask_strip", "mask-strip")(
        data=data, key=key, on_hide_change=on_hide, on_mask_change=on_mask
    )


def hidden_words(key: str) -> tuple[int, ...] | None:
    """All words that are hidden now, the newest last; None if that makes no sense.

    Call it in `on_hide`.
    """
    messages = said(key, "hide")
    return read_numbers(messages[-1].get("words"), MOST_WORDS) if messages else None
