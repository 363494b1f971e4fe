"""The tokens with words to hide, what could stand there, and what each layer would have said."""

from __future__ import annotations

import streamlit as st

from app.i18n import _, ngettext
from app.parts.mask_strip import Chip, hidden_words, mask_strip
from app.parts.notices import notices
from app.parts.said import choose_said
from app.sections.fill_mask.edit import draw_edit
from app.sections.fill_mask.heads import draw_heads
from app.sections.fill_mask.layers import draw_lens
from app.sections.fill_mask.mask_predictions import (
    CandidateWord,
    Mask,
    SentencePart,
    chosen_candidates,
    mask_predictions,
)
from app.sections.fill_mask.reading import (
    MOST_CANDIDATES,
    NOTHING,
    Bare,
    MaskedReading,
    cards,
    read_masked,
    wait_line,
)
from app.state import choose, current_settings, forget, numbers_of, write_numbers
from app.theme import percent
from core.tasks import MaskedToken

STRIP, CARD = "mask_strip", "mask_predictions"
MOST_MASKS = 512  # tokens of the longest text that any of our models reads at once
LONGEST_NOTE = 3  # words of which is said how many pieces they are


@st.fragment
def draw_board(checkpoint: str, text: str) -> None:
    """Draw everything that depends on what is hidden; hiding another word runs only this part.

    Args:
        checkpoint: name of the model.
        text: the sentence.
    """
    with notices():
        strip = st.container(key="fill-strip")
        with strip:
            status = wait_line("fill-strip")
        # Their frames stand while the answer is awaited.
        places = None if current_settings().hide == NOTHING else cards("predictions", "lens")
        reading = read_masked(checkpoint, text, status)
        with strip:
            _draw_strip(reading)
        if isinstance(reading, Bare):
            st.info(_("No word is hidden. Click one, and the model says what could stand there."))
            return
        left, right = places or cards("predictions", "lens")
        with left:
            _draw_predictions(reading)
        with right:
            draw_lens(reading, status)
        draw_heads(checkpoint, text)
        draw_edit(checkpoint, text)


def _draw_strip(reading: MaskedReading | Bare) -> None:
    encoding, mask_token = reading.typed, reading.mask_token
    chips = [
        Chip(piece, word, typed=token == mask_token)
        for piece, token, word in zip(encoding.pieces, encoding.tokens, encoding.words, strict=True)
    ]
    mask_strip(
        chips,
        () if isinstance(reading, Bare) else reading.hidden,
        mask_token=mask_token,
        selected=-1 if isinstance(reading, Bare) else reading.chosen.position,
        note="" if isinstance(reading, Bare) else _note(reading),
        key=STRIP,
        on_hide=_remember_hidden,
        on_mask=lambda: choose_said("mask", STRIP, "mask"),
    )


def _remember_hidden() -> None:
    words = hidden_words(STRIP)
    if words is None:
        return
    choose("hide", write_numbers(sorted(words)) or NOTHING)
    # Numbers of masks and of candidates mean others now.
    forget("mask")
    forget("choice")


def _note(reading: MaskedReading) -> str:
    """How many masks stand for a word of several pieces."""
    several = [word for word in reading.hidden if len(reading.typed.tokens_of(word)) > 1]
    said = []
    for word in several[:LONGEST_NOTE]:
        pieces = len(reading.typed.tokens_of(word))
        sentence = ngettext(
            "“{word}” is {count} piece, so {count} mask stands for it.",
            "“{word}” is {count} pieces, so {count} masks stand for it.",
            pieces,
        )
        said.append(sentence.format(word=reading.typed.spellings[word], count=pieces))
    if len(several) > LONGEST_NOTE:
        more = len(several) - LONGEST_NOTE
        said.append(
            ngettext("So it is with {count} more.", "So it is with {count} more.", more).format(
                count=more
            )
        )
    return " ".join(said)


def _draw_predictions(reading: MaskedReading) -> None:
    settings = current_settings()
    masks = reading.result.masks
    chosen = reading.choices
    mask_predictions(
        [
            Mask(
                _("Mask {number} of {count}").format(number=number, count=len(masks)),
                _hidden_word(reading, mask),
            )
            for number, mask in enumerate(masks, start=1)
        ],
        reading.mask,
        [
            CandidateWord(reading.readable(piece), share, percent(share), reading.filling(piece))
            for piece, share in reading.chosen.predictions
        ],
        chosen[reading.mask],
        _sentence(reading, chosen),
        top=min(settings.top, len(reading.chosen.predictions)),
        key=CARD,
        listeners={
            "mask": lambda: choose_said("mask", CARD, "mask"),
            "choice": _remember_candidate,
            "top": lambda: choose_said("top", CARD, "top"),
        },
    )


def _remember_candidate() -> None:
    numbers = list(numbers_of(current_settings().choice))
    for mask, index in chosen_candidates(CARD):
        if mask >= MOST_MASKS or index >= MOST_CANDIDATES:
            continue
        numbers += [0] * (mask + 1 - len(numbers))
        numbers[mask] = index
    while numbers and not numbers[-1]:
        numbers.pop()
    if numbers:
        choose("choice", write_numbers(numbers))
    else:
        forget("choice")


def _hidden_word(reading: MaskedReading, mask: MaskedToken) -> str:
    """What stands under a mask: a piece of the reader's own, or the mask that was typed."""
    return reading.typed.pieces[mask.position]


def _sentence(reading: MaskedReading, chosen: list[int]) -> list[SentencePart]:
    """The reader's text, with what is chosen for every mask in the place of the hidden words."""
    text, position = reading.typed.texts[0], 0
    parts: list[SentencePart] = []
    last: int | None = None
    for number, (mask, choice) in enumerate(zip(reading.result.masks, chosen, strict=True)):
        filling = reading.filling(mask.predictions[choice].token)
        if mask.word is not None and mask.word != last:
            span = reading.typed.spans[mask.word]
            parts.append(SentencePart(text[position : span.start]))
            position = span.end
        elif parts:
            parts.append(SentencePart(" "))
        parts.append(SentencePart(filling.text, number, filling.joins))
        last = mask.word
    return [*parts, SentencePart(text[position:])]
