"""The two sentences, with examples, and a button that swaps them."""

from __future__ import annotations

from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.components.sentence_box import (
    Example,
    examples,
    forget_words,
    pair_field,
    sentence_field,
    sentence_row,
)
from app.i18n import _
from app.settings import Settings

OPENING = "It lay down in the shade instead."
EXAMPLES = (
    Example("The man went to the store.", "He bought a gallon of milk."),
    Example("my dog is cute", "he likes playing"),
    Example("The man went to the store.", "Penguins are flightless."),
    Example("He was born in London in 1850.", "He died in Paris in 1910."),
    Example("The river rises in the hills.", "From there it flows south into the sea."),
    Example("I was hungry.", "I made myself a sandwich."),
    Example(Settings.text, OPENING),
)
# One more than a pair can hold.
ELSEWHERE = (
    "Penguins are flightless.",
    "The FBI is chasing a criminal on the run .",
    "She is eating a green apple.",
)


def draw_sentence_row() -> tuple[str, str | None, DeltaGenerator, DeltaGenerator]:
    """Draw both fields; return what stands in them and two places to their right.

    The first place is for facts about the result, the second for words about a wait.
    """
    if "pair" not in st.session_state and "pair" not in st.query_params:
        # The page is about pairs: it opens with one, and stays empty where the reader empties it.
        st.session_state["pair"] = OPENING
    with sentence_row():
        text = sentence_field()
        pair = pair_field()
        st.button("⇄", key="swap", help=_("Swap the sentences"), on_click=_swap)
        examples(EXAMPLES, with_pair=True)
    with st.container(horizontal=True, vertical_alignment="center", key="pair-facts"):
        facts = st.container(key="facts", width="content")
        if pair:
            stranger = _("C, from elsewhere: {sentence}").format(sentence=elsewhere(text, pair))
            st.html(f'<span class="stranger">{escape(stranger)}</span>', width="content")
        status = st.container(key="sentence-status").empty()
    return text, pair, facts, status


def elsewhere(text: str, pair: str) -> str:
    """A sentence that has nothing to do with either."""
    return next(one for one in ELSEWHERE if one not in (text, pair))


def _swap() -> None:
    session = st.session_state
    session["text"], session["pair"] = session.get("pair") or "", session.get("text") or ""
    forget_words()
