"""The tokens with their surprise, and the distribution from which the next piece comes."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass

import streamlit as st

from app.i18n import _
from app.parts.said import Message, choose_said, read_number, said
from app.parts.sentence_box import forget_words
from app.sections.next_word.look import Look
from app.sections.next_word.next_word_view import (
    NAMED,
    Distribution,
    next_distribution,
    next_strip,
)
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


def draw_strip(look: Look) -> None:
    """Draw the tokens."""
    next_strip(
        list(zip(look.encoding.pieces, look.bits(), strict=True)),
        look.place,
        note=_note(look),
        key=STRIP,
        on_place=lambda: choose_said("place", STRIP, "place"),
    )


def draw_distribution(look: Look) -> None:
    """Draw the distribution at the place."""
    ids = look.found.ids[:NAMED].tolist()
    encoding = look.encoding
    next_distribution(
        Distribution(
            identity=look.identity,
            hint=_hint(look),
            names=[look.spelt.pieces[number] for number in ids],
            adds=[bool(look.spelt.texts[number]) for number in ids],
            scores=look.found.scores,
            rank=look.found.rank,
            there="" if look.at_end else encoding.pieces[look.place],
            can_take_back=look.place > 1,
        ),
        picture_of_scene(),
        key=CARD,
        listeners={
            "pick": lambda: _go_on(look),
            "back": lambda: _take_back(look),
            "write": lambda: _write_on(look),
        },
    )


def _of_this_text(look: Look, name: str) -> list[Message]:
    """What was said last, if of this text: a second click may come when it has gone on."""
    return [one for one in said(CARD, name)[-1:] if one.get("identity") == look.identity]


def _go_on(look: Look) -> None:
    for message in _of_this_text(look, "pick"):
        rank = read_number(message.get("rank"), len(look.found.ids) - 1)
        added = "" if rank is None else look.added(rank)
        if added:
            show_text(look.prompt + added)


def _take_back(look: Look) -> None:
    """A piece for every press, down to the first."""
    pieces = min(len(said(CARD, "back")), look.place - 1)
    if pieces > 0:
        show_text(look.text_up_to(look.place - pieces))


def _write_on(look: Look) -> None:
    for message in _of_this_text(look, "write"):
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


def _hint(look: Look) -> str:
    text = _tail(look.prompt)
    if look.at_end:
        return _("after “{text}”").format(text=text)
    piece = look.encoding.pieces[look.place]
    return _("after “{text}”, where “{piece}” stands").format(text=text, piece=piece)


def _tail(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= TAIL else "…" + text[-TAIL:].lstrip()


def _note(look: Look) -> str:
    sizes = look.bits_a_byte()
    notes = []
    if sizes:
        notes.append(
            _(
                "The number below a piece is its surprise in bits: {piece} a piece in the mean,"
                " {byte} a byte."
            ).format(piece=f"{sizes[0]:.1f}", byte=f"{sizes[1]:.2f}")
        )
    if look.at_end and look.prompt[-1:].isspace():
        notes.append(_("The text ends with a space; pieces bring their own, so leave it out."))
    return " ".join(notes)
