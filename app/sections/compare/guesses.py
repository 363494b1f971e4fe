"""What both sides expect, beside each other."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.i18n import _
from app.parts.mask_strip import Chip, hidden_words, mask_strip
from app.parts.said import choose_said
from app.parts.table_card import Cell, table_card
from app.sections.compare.look import NOTHING, Look
from app.state import choose, forget, write_numbers
from app.theme import change, probability
from core.tasks.compare_guesses import GuessedWord, compare_guesses
from core.tasks.read_side import Guess

STRIP = "compare-strip"
LISTED = 4  # words of each side
MASK = "[MASK]"


def draw_guesses(look: Look) -> None:
    """Draw the tokens of the first text, to hide words of both, and what is expected there."""
    found = look.guesses()
    if not look.sides.guesses_hidden_words:
        if found is None:
            st.caption(_why_not(look))
        else:
            _draw_card(look, *found)
        return
    left, right = st.columns([5, 6], gap="small")
    with left:
        _draw_strip(look)
    with right:
        if found is None:
            st.caption(_why_not(look))
        else:
            _draw_card(look, *found)


def _draw_strip(look: Look) -> None:
    encoding, guesses = look.first.attention.encoding, look.first.guesses
    masks = {guess.position for guess in guesses}
    token = encoding.tokens[guesses[look.guess].position] if guesses else MASK
    chips = [
        Chip(piece, word, typed=word not in look.hidden and at in masks)
        for at, (piece, word) in enumerate(zip(look.typed.pieces, look.typed.words, strict=True))
    ]
    mask_strip(
        chips,
        look.hidden,
        mask_token=token,
        selected=guesses[look.guess].position if guesses else -1,
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


def _why_not(look: Look) -> str:
    if look.sides.guesses_hidden_words:
        if look.first.guesses:
            return _("The second side has no mask there, so there is nothing to compare.")
        return _("Click a word to hide it on both sides, and see what each expects there.")
    without = next(one for one in look.sides.models if not one.guesses_hidden_words)
    return _("{model} does not guess hidden words, so only attention is compared.").format(
        model=without.title
    )


def _draw_card(look: Look, left: Guess, right: Guess) -> None:
    with st.container(key="card-compare-guess", border=True):
        _draw_table(look, left, right)


def _draw_table(look: Look, left: Guess, right: Guess) -> None:
    words = compare_guesses(
        look.first,
        left,
        look.second,
        right,
        same_vocabulary=look.left.checkpoint == look.right.checkpoint,
        top=LISTED,
    )
    first, second = look.sides.titles
    columns = [
        Cell(_("word")),
        Cell(first, number=True),
        Cell(second, number=True),
        Cell(_("change"), number=True),
    ]
    table_card(
        _("What comes next") if left.word is None else _("What could stand there"),
        _place(look, left),
        columns,
        [_row(word) for word in words],
        note=_note(look, left, words),
    )


def _place(look: Look, guess: Guess) -> str:
    if guess.word is None:
        return _("after the last token")
    hidden = _("in the place of “{word}”").format(word=look.typed.spellings[guess.word])
    return hidden if guess.word in look.hidden else _("at the mask in the text")


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


def _note(look: Look, guess: Guess, words: Sequence[GuessedWord]) -> str:
    left, right = map(len, look.of_word(guess.word))
    if left != right:
        return _(
            "The word is {left} pieces on the left and {right} on the right:"
            " the first ones are compared."
        ).format(left=left, right=right)
    if any(word.change is None for word in words):
        return _("< stands for a word that is not among the hundred likeliest of that side.")
    return ""
