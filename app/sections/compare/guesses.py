"""What both sides expect, beside each other."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.i18n import _
from app.parts.mask_strip import Chip, hidden_words, mask_strip
from app.parts.said import choose_said
from app.parts.table_card import Cell, table_card
from app.sections.compare.reading import NOTHING, ComparedReadings
from app.state import choose, forget, write_numbers
from app.theme import change, probability
from core.tasks.compare_guesses import GuessedWord, compare_guesses
from core.tasks.read_side import Guess

STRIP = "compare-strip"
LISTED = 4  # words of each side
MASK = "[MASK]"


def draw_guesses(readings: ComparedReadings) -> None:
    """Draw the tokens of the first text, to hide words of both, and what is expected there."""
    found = readings.guesses()
    if not readings.sides.guesses_hidden_words:
        if found is None:
            st.caption(_why_not(readings))
        else:
            _draw_card(readings, *found)
        return
    left, right = st.columns([5, 6], gap="small")
    with left:
        _draw_strip(readings)
    with right:
        if found is None:
            st.caption(_why_not(readings))
        else:
            _draw_card(readings, *found)


def _draw_strip(readings: ComparedReadings) -> None:
    encoding, guesses = readings.first.attention.encoding, readings.first.guesses
    masks = {guess.position for guess in guesses}
    token = encoding.tokens[guesses[readings.guess].position] if guesses else MASK
    chips = [
        Chip(piece, word, typed=word not in readings.hidden and at in masks)
        for at, (piece, word) in enumerate(
            zip(readings.typed.pieces, readings.typed.words, strict=True)
        )
    ]
    mask_strip(
        chips,
        readings.hidden,
        mask_token=token,
        selected=guesses[readings.guess].position if guesses else -1,
        note="",
        key=STRIP,
        on_hide=_remember_hidden,
        on_mask=lambda: choose_said("mask", STRIP, "mask"),
    )


def _remember_hidden() -> None:
    words = hidden_words(STRIP)
    if words is not None:
        choose("hide", write_numbers(sorted(words)) or NOTHING)
        forget("mask")


def _why_not(readings: ComparedReadings) -> str:
    if readings.sides.guesses_hidden_words:
        if readings.first.guesses:
            return _("The second side has no mask there, so there is nothing to compare.")
        return _("Click a word to hide it on both sides, and see what each expects there.")
    without = next(one for one in readings.sides.models if not one.guesses_hidden_words)
    return _("{model} does not guess hidden words, so only attention is compared.").format(
        model=without.title
    )


def _draw_card(readings: ComparedReadings, left: Guess, right: Guess) -> None:
    with st.container(key="card-compare-guess", border=True):
        _draw_table(readings, left, right)


def _draw_table(readings: ComparedReadings, left: Guess, right: Guess) -> None:
    words = compare_guesses(
        readings.first,
        left,
        readings.second,
        right,
        same_vocabulary=readings.left.checkpoint == readings.right.checkpoint,
        top=LISTED,
    )
    first, second = readings.sides.titles
    columns = [
        Cell(_("word")),
        Cell(first, number=True),
        Cell(second, number=True),
        Cell(_("change"), number=True),
    ]
    table_card(
        _("What comes next") if left.word is None else _("What could stand there"),
        _place(readings, left),
        columns,
        [_row(word) for word in words],
        note=_note(readings, left, words),
    )


def _place(readings: ComparedReadings, guess: Guess) -> str:
    if guess.word is None:
        return _("after the last token")
    hidden = _("in the place of “{word}”").format(word=readings.typed.spellings[guess.word])
    return hidden if guess.word in readings.hidden else _("at the mask in the text")


def _row(word: GuessedWord) -> list[Cell]:
    difference = "–" if word.change is None else change(word.change)
    return [
        Cell(word.word),
        Cell(_share(word.left, listed=word.left_listed), number=True),
        Cell(_share(word.right, listed=word.right_listed), number=True),
        Cell(difference, number=True),
    ]


def _share(value: float, *, listed: bool) -> str:
    return probability(value) if listed else f"< {probability(max(value, 0.001))}"


def _note(readings: ComparedReadings, guess: Guess, words: Sequence[GuessedWord]) -> str:
    left, right = map(len, readings.of_word(guess.word))
    if left != right:
        return _(
            "The word is {left} pieces on the left and {right} on the right:"
            " the first ones are compared."
        ).format(left=left, right=right)
    if any(word.change is None for word in words):
        return _("< stands for a word that is not among the hundred likeliest of that side.")
    return ""
