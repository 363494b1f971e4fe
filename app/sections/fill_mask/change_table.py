"""Words with their probabilities before and after a change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.i18n import _
from app.parts.table_card import Cell, table_card
from app.theme import change, probability


@dataclass(frozen=True)
class ChangedWord:
    """A word, its probability before, and after if there was a change."""

    word: str
    before: float
    after: float | None


def change_table(
    title: str, hint: str, words: Sequence[ChangedWord], *, note: str, room: int
) -> None:
    """Draw the card.

    Args:
        title, hint: what was changed.
        words: the rows.
        note: a line below.
        room: as many rows' room is kept.
    """
    columns = [
        Cell(_("word")),
        Cell(_("before"), number=True),
        Cell(_("after"), number=True),
        Cell(_("change"), number=True),
    ]
    rows = []
    for one in words:
        after = difference = "–"
        if one.after is not None:
            after, difference = probability(one.after), change(one.after - one.before)
        rows.append(
            [
                Cell(one.word),
                Cell(probability(one.before), number=True),
                Cell(after, number=True),
                Cell(difference, number=True),
            ]
        )
    table_card(title, hint, columns, rows, note=note, room=room)
