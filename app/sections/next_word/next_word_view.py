"""What comes next in a text: its tokens, the distribution at one position, and who may see whom."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.i18n import _
from app.parts.choices import Choice, address_choices
from app.parts.said import answered
from app.parts.scripts import script_component
from app.settings import FIELDS
from app.wire import pack

OWN: Final = ("temperature", "top_k", "top_p")  # settings that the card keeps in the browser
NAMED: Final = 1_000  # pieces that go to the browser by name; the scores of all others do too


@dataclass(frozen=True)
class Distribution:
    """What could stand at one position.

    Args:
        identity: of the text and the position; a choice that comes back names it.
        hint: which position it is.
        names: readable, of the likeliest pieces.
        adds: whether each of these adds something that can be read alone.
        scores: of all pieces ``[piece]``, the likeliest first.
        rank: of the piece that stands there; None at the end.
        there: its name.
        can_take_back: whether there is a piece before the position to take back.
    """

    identity: str
    hint: str
    names: Sequence[str]
    adds: Sequence[bool]
    scores: NDArray[np.float32]
    rank: int | None
    there: str
    can_take_back: bool


@dataclass(frozen=True)
class MaskSquare:
    """Who may look at whom in one model.

    Args:
        title: which model.
        tokens: of the rows and columns.
        masked: ``[query, key]``, True where the query may not see the key.
        marked: the row from which the prediction is read; None where it is not drawn.
        label: what a screen reader says.
    """

    title: str
    tokens: Sequence[str]
    masked: NDArray[np.bool_]
    marked: int | None
    label: str


def next_strip(
    tokens: Sequence[tuple[str, float | None]],
    position: int,
    *,
    note: str,
    key: str,
    on_place: Callable[[], None],
) -> None:
    """Draw the tokens, each with how it surprised the model, and the position after them.

    Args:
        tokens: readable pieces, and their surprise in bits; None for the first.
        position: the one that is asked for; as many as tokens for the end.
        note: a line below.
        key: identity of this strip on its page.
        on_place: called when the reader asks for another position, which is `said` as ``position``.
    """
    data = {
        "tokens": [{"piece": piece, "bits": bits} for piece, bits in tokens],
        "place": position,
        "answered": answered(key, "place"),
        "note": note,
        "strings": {
            "tokens": _("Tokens: choose one to see what could stand in its place"),
            "next": _("What comes after the last token"),
            "first": _("Nothing comes before it, so nothing predicts it"),
            "bits": _("{bits} bits: how surprising it was here"),
        },
    }
    script_component("sections/next_word/next_strip", "next-strip")(
        data=data, key=key, on_place_change=on_place
    )


def next_distribution(
    drawn: Distribution,
    choice: Choice,
    *,
    key: str,
    listeners: dict[str, Callable[[], None]],
) -> None:
    """Draw the distribution with its sliders; they rerun nothing.

    Args:
        drawn: what to draw.
        choice: what the last scene says, with a number of its own.
        key: identity of this card on its page.
        listeners: what to call when the reader goes on with a piece (``pick``), takes the last
            one back (``back``) or has the model write (``write``); see :mod:`app.parts.said`.
    """
    given: dict[str, Any] = {f"on_{name}_change": call for name, call in listeners.items()}
    script_component("sections/next_word/next_distribution", "distribution")(
        data=distribution_payload(drawn, choice, answered(key, *listeners)), key=key, **given
    )


def distribution_payload(
    drawn: Distribution, choice: Choice = None, answered: Mapping[str, int] | None = None
) -> bytes:
    """The message for the script."""
    return pack(
        {
            "identity": drawn.identity,
            "answered": answered or {},
            "hint": drawn.hint,
            "names": list(drawn.names),
            "adds": np.array(drawn.adds, dtype=bool),
            "scores": drawn.scores.astype(np.float32),
            "rank": drawn.rank,
            "there": drawn.there,
            "canTakeBack": drawn.can_take_back,
            **address_choices(OWN, choice),
            "bounds": {
                name: {kind: FIELDS[name].metadata[kind] for kind in ("least", "most")}
                for name in OWN
            },
            "strings": distribution_strings(),
        }
    )


def distribution_strings() -> dict[str, Any]:
    """Every string of the distribution."""
    return {
        "title": _("What comes next"),
        "candidates": _("Pieces: choose one to go on with it"),
        "rule": {"temperature": _("Temperature"), "top_k": _("Top-k"), "top_p": _("Top-p")},
        "all": _("all"),
        "piece": _("piece"),
        "model": _("model"),
        "bits": _("bits"),
        "sampling": _("chance"),
        "others": _("{count} others"),
        "there": _("This piece stands there"),
        "alone": _("It adds no text that could be read alone: an end, or a part of a character"),
        "kept": _(
            "{kept} of {count} pieces kept, {mass} of the model’s probability · {bits} of {plain}"
            " bits"
        ),
        "one": _("Draw one"),
        "many": _("Draw 100 times"),
        "back": _("Take back"),
        "write": _("Write on"),
        "drew": _("{number} fell on “{piece}”."),
        "drewEnd": _("{number} fell on “{piece}”, which adds no text: draw again."),
        "drewMany": _("100 draws, nothing written: {pieces} different pieces."),
        "rank": _("number {rank} of the list"),
    }


def next_masks(squares: Sequence[MaskSquare], *, note: str, key: str) -> None:
    """Draw one or two masks side by side.

    Args:
        squares: what to draw.
        note: what is said while no cell is looked at.
        key: identity of this card on its page.
    """
    data = {
        "masks": [
            {
                "title": one.title,
                "tokens": list(one.tokens),
                "rows": ["".join("0" if cell else "1" for cell in row) for row in one.masked],
                "marked": one.marked,
                "label": one.label,
            }
            for one in squares
        ],
        "strings": {
            "title": _("Who may look at whom"),
            "hint": _("rows look, columns are looked at"),
            "note": note,
            "sees": _("“{query}” may look at “{key}”."),
            "masked": _("“{query}” may not look at “{key}”: masked."),
        },
    }
    script_component("sections/next_word/next_masks", "next-masks")(data=data, key=key)
