"""What both sides expect, beside each other."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.figures.dumbbells import Dumbbell, DumbbellWords, dumbbells
from app.figures.theme import FigureTheme
from app.i18n import _
from app.parts.card_heading import card_heading
from app.parts.figure import Cell as Number
from app.parts.figure import Figure, draw_figure, remembered_figure
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
    hides = readings.sides.guesses_hidden_words
    if found is None and not hides:
        st.caption(_why_not(readings))
        return
    left, right = st.columns([5, 6], gap="small")
    with left:
        if hides:
            _draw_strip(readings)
    if found is None:
        with right:
            st.caption(_why_not(readings))
        return
    words = compare_guesses(
        readings.first,
        found[0],
        readings.second,
        found[1],
        same_vocabulary=readings.left.checkpoint == readings.right.checkpoint,
        top=LISTED,
    )
    with right.container(key="card-compare-guess", border=True):
        _draw_table(readings, found[0], words)
    with left.container(key="card-compare-words", border=True):
        card_heading(_("Probability on both sides"), _place(readings, found[0]))
        _draw_dumbbells(readings, words)


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


def _draw_table(readings: ComparedReadings, left: Guess, words: Sequence[GuessedWord]) -> None:
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


def _draw_dumbbells(readings: ComparedReadings, words: tuple[GuessedWord, ...]) -> None:
    titles = readings.sides.titles
    figure = remembered_figure(
        lambda theme: _dumbbells(words, titles, theme),
        "dumbbells",
        words,
        titles,
        questions=(readings.left, readings.right),
    )
    draw_figure(figure, key="dumbbells")


def _dumbbells(
    listed: Sequence[GuessedWord], titles: tuple[str, str], theme: FigureTheme
) -> Figure:
    words = DumbbellWords(
        word=_("word"),
        linear=_("probability"),
        logarithmic=_("probability, logarithmic; hollow: at most"),
        at_most=_("at most {value}"),
    )
    pairs = [
        Dumbbell(one.word, (one.left, one.right), (one.left_listed, one.right_listed))
        for one in listed
    ]
    sides = titles if titles[0] != titles[1] else (_("left"), _("right"))
    table: dict[str, list[Number]] = {words.word: [one.word for one in listed]}
    for side, name in enumerate(sides):
        table[name] = [
            one.values[side]
            if one.known[side]
            else words.at_most.format(value=f"{one.values[side]:.4g}")
            for one in pairs
        ]
    table[_("change")] = [one.change for one in listed]
    return Figure.of_altair(
        dumbbells(pairs, titles, words, theme),
        table,
        _("Probability of the likeliest words on both sides"),
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
