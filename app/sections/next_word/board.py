"""The tokens with their surprise, and the distribution from which the next piece comes."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass

import streamlit as st

from app.i18n import _
from app.parts.said import Message, choose_said, read_number, said
from app.parts.sentence_box import forget_words
from app.sections.next_word.next_word_view import (
    NAMED,
    Distribution,
    next_distribution,
    next_strip,
)
from app.sections.next_word.reading import PositionReading
from app.sections.scenes import picture_of_scene
from app.settings import FIELDS
from app.state import choose, current_settings, numbers_of, write_numbers

STRIP, CARD = "next_strip", "next_distribution"
TAIL = 24  # letters of the prompt that the heading repeats


@dataclass(frozen=True)
class Rule:
    """How pieces are drawn, in the units of the settings.

    Attributes:
        temperature: in hundredths.
        top_k: 0 for all.
        top_p: in thousandths.
    """

    temperature: int
    top_k: int
    top_p: int

    @classmethod
    def read(cls, written: str) -> Rule | None:
        """The rule that a setting names; None where it names none, or one out of bounds."""
        numbers = numbers_of(written)
        if len(numbers) != 3:
            return None
        rule = cls(*numbers)
        for name, number in asdict(rule).items():
            bounds = FIELDS[name].metadata
            if not bounds["least"] <= number <= bounds["most"]:
                return None
        return rule

    def write(self) -> str:
        """As a setting has it."""
        return write_numbers(astuple(self))


def draw_strip(reading: PositionReading) -> None:
    """Draw the tokens."""
    next_strip(
        list(zip(reading.encoding.pieces, reading.bits(), strict=True)),
        reading.position,
        note=_note(reading),
        key=STRIP,
        on_place=lambda: choose_said("place", STRIP, "place"),
    )


def draw_distribution(reading: PositionReading) -> None:
    """Draw the distribution at the position."""
    ids = reading.found.ids[:NAMED].tolist()
    encoding = reading.encoding
    next_distribution(
        Distribution(
            identity=reading.identity,
            hint=_hint(reading),
            names=[reading.decoded.pieces[number] for number in ids],
            adds=[bool(reading.decoded.texts[number]) for number in ids],
            scores=reading.found.scores,
            rank=reading.found.rank,
            there="" if reading.at_end else encoding.pieces[reading.position],
            can_take_back=reading.position > 1,
        ),
        picture_of_scene(),
        key=CARD,
        listeners={
            "pick": lambda: _go_on(reading),
            "back": lambda: _take_back(reading),
            "write": lambda: _write_on(reading),
        },
    )


def _of_this_text(reading: PositionReading, name: str) -> list[Message]:
    """What was said last, if of this text: a second click may come when it has gone on."""
    return [one for one in said(CARD, name)[-1:] if one.get("identity") == reading.identity]


def _go_on(reading: PositionReading) -> None:
    for message in _of_this_text(reading, "pick"):
        rank = read_number(message.get("rank"), len(reading.found.ids) - 1)
        added = "" if rank is None else reading.added(rank)
        if added:
            show_text(reading.prompt + added)


def _take_back(reading: PositionReading) -> None:
    """A piece for every press, down to the first."""
    pieces = min(len(said(CARD, "back")), reading.position - 1)
    if pieces > 0:
        show_text(reading.text_up_to(reading.position - pieces))


def _write_on(reading: PositionReading) -> None:
    for message in _of_this_text(reading, "write"):
        numbers = [read_number(message.get(name)) for name in ("temperature", "top_k", "top_p")]
        rule = Rule.read(write_numbers(one for one in numbers if one is not None))
        if rule is not None:
            choose("written", rule.write())


def show_text(text: str) -> None:
    """Put a text into the field, and look at its end; for a callback."""
    written = current_settings().written
    st.session_state["text"] = text
    forget_words()
    if written:  # the rule stays; what is written by it goes on from the new end
        choose("written", written)


def _hint(reading: PositionReading) -> str:
    text = _tail(reading.prompt)
    if reading.at_end:
        return _("after “{text}”").format(text=text)
    piece = reading.encoding.pieces[reading.position]
    return _("after “{text}”, where “{piece}” stands").format(text=text, piece=piece)


def _tail(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= TAIL else "…" + text[-TAIL:].lstrip()


def _note(reading: PositionReading) -> str:
    sizes = reading.bits_a_byte()
    notes = []
    if sizes:
        notes.append(
            _(
                "The number below a piece is its surprise in bits: {piece} a piece in the mean,"
                " {byte} a byte."
            ).format(piece=f"{sizes[0]:.1f}", byte=f"{sizes[1]:.2f}")
        )
    if reading.at_end and reading.prompt[-1:].isspace():
        notes.append(_("The text ends with a space; pieces bring their own, so leave it out."))
    return " ".join(notes)
