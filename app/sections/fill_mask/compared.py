"""The likeliest words of a mask, before and after a change."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.i18n import _
from app.sections.fill_mask.change_table import ChangedWord, change_table
from app.sections.fill_mask.reading import COMPARED, MaskedReading
from app.theme import percent
from core.engine import Call
from core.tasks import MaskComparison


def draw_compared(
    reading: MaskedReading,
    question: Call[MaskComparison] | None,
    status: DeltaGenerator,
    *,
    title: str,
    hint: str,
    unchanged: str,
) -> None:
    """Draw the table.

    Args:
        reading: before.
        question: what to ask for the change; None where nothing is changed.
        status: where a wait is spoken of.
        title, hint: what was changed.
        unchanged: what is said where nothing is.
    """
    if question is None:
        words = [
            ChangedWord(reading.readable(piece), share, None)
            for piece, share in reading.chosen.predictions[:COMPARED]
        ]
        note = unchanged
    else:
        found = ask(question, status)
        words = [
            ChangedWord(reading.readable(one.token), one.before, one.after) for one in found.words
        ]
        note = _("{share} of the probability went to other words.").format(
            share=percent(found.moved)
        )
    change_table(title, hint, words, note=note, room=2 * COMPARED)
