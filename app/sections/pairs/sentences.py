"""The two sentences, with examples, and a button that swaps them."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.i18n import _
from app.parts.sentence_box import (
    Example,
    examples,
    forget_words,
    pair_field,
    sentence_field,
    sentence_row,
)
from app.settings import FIELDS, Settings
from app.state import binding

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


def draw_sentence_row() -> tuple[str, str | None, str, DeltaGenerator, DeltaGenerator]:
    """Draw the fields of the pair and of a third sentence.

    Returns:
        What stands in them, of the third one of ours where it is empty, and two places: for facts
        about the result, and for words about a wait.
    """
    if "pair" not in st.session_state and "pair" not in st.query_params:
        # The page is about pairs: it opens with one, and stays empty where the reader empties it.
        st.session_state["pair"] = OPENING
    with sentence_row():
        text = sentence_field()
        pair = pair_field()
        st.button("⇄", key="swap", help=_("Swap the sentences"), on_click=_swap)
        examples(EXAMPLES, with_pair=True, empties=("third",))
    with st.container(horizontal=True, vertical_alignment="center", key="pair-facts"):
        facts = st.container(key="facts", width="content")
        third = _third_field(elsewhere(text, pair or ""))
        status = st.container(key="sentence-status").empty()
    return text, pair, third, facts, status


def _third_field(ours: str) -> str:
    """Draw the field for a sentence from elsewhere; return it, or ours where it is empty."""
    third = st.text_input(
        _("C, from elsewhere"),
        value=Settings.third,
        key="third",
        bind=binding("third"),
        placeholder=ours,
        max_chars=FIELDS["third"].metadata["most"],
        width="stretch",
    )
    return third if third and third.strip() else ours


def elsewhere(text: str, pair: str) -> str:
    """A sentence that has nothing to do with either."""
    return next(one for one in ELSEWHERE if one not in (text, pair))


def _swap() -> None:
    session = st.session_state
    session["text"], session["pair"] = session.get("pair") or "", session.get("text") or ""
    forget_words()
