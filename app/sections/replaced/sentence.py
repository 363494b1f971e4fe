"""The sentence of the page; where the reader marks first, it is not given away."""

from __future__ import annotations

from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.i18n import _
from app.parts.fields import next_seed, seed_field, toggle_field
from app.parts.frame import pixels
from app.parts.sentence_box import (
    Example,
    examples,
    forget_words,
    sentence_field,
    sentence_row,
)
from app.sections.replaced.reading import READER
from app.settings import FIELDS, Settings
from app.state import choose, current_settings

EXAMPLES = (
    Example(Settings.text),
    Example("She is eating a green apple."),
    Example("The FBI is chasing a criminal on the run ."),
    Example("the man went to the store to buy a gallon of milk"),
    Example("Thank you for inviting me to your party last week ."),
    Example("my dog is cute and he likes playing"),
)
# For a class that has seen no sentence before: our own.
UNSEEN = (
    "The keeper of the lighthouse trims the lamp every evening before the ships come in.",
    "In the winter of that year the river froze, and the children crossed it on foot.",
    "The old bridge was built of stone and has carried carts, trains and cars.",
    "She opened the window because the room was full of smoke.",
    "The doctor told him to rest for a week and to drink a lot of water.",
    "Most birds leave the island in autumn and return when the days grow longer.",
    "He wrote a long letter to his brother, but he never sent it.",
    "The train to the coast leaves at noon and arrives in the early evening.",
    "Bread is made from flour, water and salt, and it needs time to rise.",
    "The king died without a son, so the crown went to his nephew.",
    "They planted trees along the road to protect the fields from the wind.",
    "The museum shows tools that farmers used two hundred years ago.",
)
WHO, TEMPERATURE = "replaced-by", "replaced-temperature"
# In hundredths; the bundled discriminator has learnt from all of them.
TEMPERATURES = (100, 150, 200, 300)


def draw_sentence_row(*, hidden: bool) -> tuple[str, DeltaGenerator, DeltaGenerator]:
    """Draw the text field with its examples; return the text and two places to its right.

    The first place is for facts about the result, the second for words about a wait.

    Args:
        hidden: whether the field waits behind a button, since what stands in it is the answer.
    """
    with sentence_row():
        if hidden:
            st.button(_("Next sentence"), key="next-sentence", on_click=_go_on)
            with st.popover(_("A sentence of your own"), width="content"):
                text = sentence_field()
        else:
            text = sentence_field()
            examples(EXAMPLES)
        facts = st.container(key="facts", width="content")
        status = st.container(key="sentence-status").empty()
    return text, facts, status


def draw_controls(*, generator: bool) -> str:
    """Draw who replaces words, with the seed of the draws or the way back; return who.

    Args:
        generator: whether there is one.
    """
    chosen = current_settings().replacer if generator else READER
    # The address decides, also after a step back and in a scene.
    st.session_state[WHO] = READER if chosen == READER else Settings.replacer
    row = st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="replaced-controls"
    )
    with row:
        names = {Settings.replacer: _("The generator"), READER: _("You")}
        _draw_label(_("Replaced by"))
        who = st.segmented_control(
            _("Replaced by"),
            list(names),
            format_func=lambda name: names[name],
            key=WHO,
            required=True,
            label_visibility="collapsed",
            disabled=not generator,
            on_change=lambda: choose("replacer", st.session_state[WHO]),
        )
        if who == READER:
            st.button(
                _("Back to the sentence"),
                key="edits-back",
                disabled=not current_settings().changed,
                on_click=lambda: choose("changed", ""),
            )
        else:
            _draw_temperature()
            _draw_seed()
        toggle_field("mark_first", _("Mark first, then see"))
    return who or Settings.replacer


def _draw_temperature() -> None:
    temperature = current_settings().heat
    # The address decides, also after a step back and in a scene.
    st.session_state[TEMPERATURE] = temperature
    _draw_label(_("Temperature"))
    st.selectbox(
        _("Temperature"),
        sorted({*TEMPERATURES, temperature}),
        format_func=lambda temperature: f"{temperature / 100:g}",
        key=TEMPERATURE,
        label_visibility="collapsed",
        on_change=lambda: choose("heat", st.session_state[TEMPERATURE]),
        width=pixels(88),
    )


def _draw_seed() -> None:
    _draw_label(_("Seed"))
    seed_field(_("Draw again"), width=128, show_label=False)


def _draw_label(text: str) -> None:
    st.html(f'<span class="replaced-label">{escape(text)}</span>', width="content")


def _go_on() -> None:
    """The next of our own sentences, after the last the first, drawn anew."""
    text = current_settings().text
    number = UNSEEN.index(text) + 1 if text in UNSEEN else 0
    st.session_state["text"] = UNSEEN[number % len(UNSEEN)]
    choose("replacer", Settings.replacer)
    forget_words()
    next_seed()


def _most_seed() -> int:
    most: int = FIELDS["seed"].metadata["most"]
    return most
