"""The likeliest words of a mask, before and after a change."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from app.components.change_table import ChangedWord, change_table
from app.i18n import _
from app.sections.fill_mask.look import COMPARED, Look
from app.services import ask
from app.theme import percent
from core.inference import CompareMasksRequest


def draw_compared(
    look: Look,
    request: CompareMasksRequest | None,
    status: DeltaGenerator,
    *,
    title: str,
    hint: str,
    unchanged: str,
) -> None:
    """Draw the table.

    Args:
        look: before.
        request: what to ask for the change; None where nothing is changed.
        status: where a wait is spoken of.
        title, hint: what was changed.
        unchanged: what is said where nothing is.
    """
    if request is None:
        words = [
            ChangedWord(look.readable(piece), share, None)
            for piece, share in look.chosen.predictions[:COMPARED]
        ]
        note = unchanged
    else:
        found = ask(request, status)
        words = [
            ChangedWord(look.readable(one.token), one.before, one.after) for one in found.words
        ]
        note = _("{share} of the probability went to other words.").format(
            share=percent(found.moved)
        )
    change_table(title, hint, words, note=note, room=2 * COMPARED)
