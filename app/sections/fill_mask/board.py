"""The tokens with words to hide, what could stand there, and what each layer would have said."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.i18n import _, ngettext
from app.parts.mask_strip import Chip, hidden_words, mask_strip
from app.parts.notices import notices
from app.parts.said import choose_said
from app.sections.fill_mask.edit import draw_edit
from app.sections.fill_mask.heads import draw_heads
from app.sections.fill_mask.lens_table import LayerSays, lens_table
from app.sections.fill_mask.look import (
    MOST_CANDIDATES,
    NOTHING,
    Bare,
    Look,
    cards,
    look_at,
    wait_line,
)
from app.sections.fill_mask.mask_predictions import (
    Candidate,
    Mask,
    Part,
    chosen_candidates,
    mask_predictions,
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
        look = look_at(checkpoint, text, status)
        with strip:
            _draw_strip(look)
        if isinstance(look, Bare):
            st.info(_("No word is hidden. Click one, and the model says what could stand there."))
            return
        left, right = places or cards("predictions", "lens")
        with left:
            _draw_predictions(look)
        with right:
            _draw_lens(look, status)
        draw_heads(checkpoint, text)
        draw_edit(checkpoint, text)


def _draw_strip(look: Look | Bare) -> None:
    encoding, mask_token = look.typed, look.mask_token
    chips = [
        Chip(piece, word, typed=token == mask_token)
        for piece, token, word in zip(encoding.pieces, encoding.tokens, encoding.words, strict=True)
    ]
    mask_strip(
        chips,
        () if isinstance(look, Bare) else look.hidden,
        mask_token=mask_token,
        selected=-1 if isinstance(look, Bare) else look.chosen.position,
        note="" if isinstance(look, Bare) else _note(look),
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


def _note(look: Look) -> str:
    """How many masks stand for a word of several pieces."""
    several = [word for word in look.hidden if len(look.typed.tokens_of(word)) > 1]
    said = []
    for word in several[:LONGEST_NOTE]:
        pieces = len(look.typed.tokens_of(word))
        sentence = ngettext(
            "“{word}” is {count} piece, so {count} mask stands for it.",
            "“{word}” is {count} pieces, so {count} masks stand for it.",
            pieces,
        )
        said.append(sentence.format(word=look.typed.spellings[word], count=pieces))
    if len(several) > LONGEST_NOTE:
        more = len(several) - LONGEST_NOTE
        said.append(
            ngettext("So it is with {count} more.", "So it is with {count} more.", more).format(
                count=more
            )
        )
    return " ".join(said)


def _draw_predictions(look: Look) -> None:
    settings = current_settings()
    masks = look.result.masks
    chosen = _chosen(look)
    mask_predictions(
        [
            Mask(
                _("Mask {number} of {count}").format(number=number, count=len(masks)),
                _hidden_word(look, mask),
            )
            for number, mask in enumerate(masks, start=1)
        ],
        look.mask,
        [
            Candidate(look.readable(piece), share, percent(share), look.filling(piece))
            for piece, share in look.chosen.predictions
        ],
        chosen[look.mask],
        _sentence(look, chosen),
        top=min(settings.top, len(look.chosen.predictions)),
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


def _chosen(look: Look) -> list[int]:
    """For every mask the number of its chosen candidate, the first one without a choice."""
    numbers = numbers_of(current_settings().choice)
    found = []
    for at, mask in enumerate(look.result.masks):
        number = numbers[at] if at < len(numbers) else 0
        found.append(number if number < len(mask.predictions) else 0)
    return found


def _hidden_word(look: Look, mask: MaskedToken) -> str:
    """What stands under a mask: a piece of the reader's own, or the mask that was typed."""
    return look.typed.pieces[mask.position]


def _sentence(look: Look, chosen: list[int]) -> list[Part]:
    """The reader's text, with what is chosen for every mask in the place of the hidden words."""
    text, position = look.typed.texts[0], 0
    parts: list[Part] = []
    last: int | None = None
    for number, (mask, choice) in enumerate(zip(look.result.masks, chosen, strict=True)):
        filling = look.filling(mask.predictions[choice].token)
        if mask.word is not None and mask.word != last:
            span = look.typed.spans[mask.word]
            parts.append(Part(text[position : span.start]))
            position = span.end
        elif parts:
            parts.append(Part(" "))
        parts.append(Part(filling.text, number, filling.joins))
        last = mask.word
    return [*parts, Part(text[position:])]


def _draw_lens(look: Look, status: DeltaGenerator) -> None:
    found = ask(look.lens(), status)
    readings = [layer[look.mask] for layer in found.layers]
    final = look.readable(readings[-1].predictions[0].token)
    lens_table(
        [
            LayerSays([look.readable(piece) for piece, _share in one.predictions], one.final)
            for one in readings
        ],
        final,
    )
