"""What each model reads and has to say while it learns: reading after reading, in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.i18n import N_, _
from app.parts.choices import Choice, address_choices
from app.parts.scripts import script_component
from core.tasks.training_draws import Mark, TrainingDraws

MARKS: dict[Mark, str] = {
    Mark.MASK: N_("hidden by a mask"),
    Mark.RANDOM: N_("another token in its place"),
    Mark.KEPT: N_("left as it is, to be named all the same"),
    Mark.MOVED: N_("shuffled, to be put right"),
    Mark.NEXT: N_("predicted, in this order"),
    Mark.SOFT: N_("the teacher’s answer is copied"),
}


@dataclass(frozen=True)
class DrawnMember:
    """One row: what the model is called, what it hides and why, a published figure, the draws."""

    title: str
    hides: str
    why: str
    published: str
    draws: TrainingDraws


def family_draws(members: Sequence[DrawnMember], choice: Choice, *, key: str) -> None:
    """Draw the rows; play, pause and the slider rerun nothing.

    Args:
        members: with as many readings each.
        choice: what the last scene says, with a number of its own.
        key: identity of this picture on its page.
    """
    data = {
        "members": [_row(one) for one in members],
        "readings": min(len(one.draws.readings) for one in members),
        "marks": {mark.value: _(said) for mark, said in MARKS.items()},
        **address_choices(("reading",), choice),
        "strings": {
            "play": _("Play"),
            "pause": _("Pause"),
            "reading": _("Reading of the text"),
            "count": _("reading {number} of {count}"),
            "copy": _("mask {number} of {count}"),
            "named": _("to be named: “{piece}”"),
        },
    }
    script_component("sections/family/family_draws", "family-draws")(data=data, key=key)


def _row(one: DrawnMember) -> dict[str, Any]:
    draws = one.draws
    return {
        "title": one.title,
        "hides": one.hides,
        "why": one.why,
        "published": one.published,
        "copies": draws.copies,
        "pieces": list(draws.encoding.pieces),
        "soft": any(token.mark is Mark.SOFT for token in draws.readings[0]),
        "draws": [
            # Only what is asked about: position, what is read there, mark, rank and span.
            [
                [at, token.piece, token.mark.value, token.rank, token.span]
                for at, token in enumerate(reading)
                if token.mark not in (None, Mark.SOFT)
            ]
            for reading in draws.readings
        ],
    }
