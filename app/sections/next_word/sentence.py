"""The text that is continued, with examples."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.components.sentence_box import Example, examples, sentence_field, sentence_row
from app.settings import Settings

EXAMPLES = (
    Example("Thank you for inviting me to your party last"),
    Example(Settings.text),
    Example("The patient was taken to the"),
    Example("the man went to the store to buy a gallon of"),
    Example("She is eating a green"),
    Example("The FBI is chasing a criminal on the run ."),
    Example("i have a funny story about"),
)


def draw_sentence_row() -> tuple[str, DeltaGenerator, DeltaGenerator]:
    """Draw the text field with its examples; return the text and two places to its right.

    The first place is for facts about the result, the second for words about a wait.
    """
    with sentence_row():
        text = sentence_field()
        examples(EXAMPLES)
        facts = st.container(key="facts", width="content")
        status = st.container(key="sentence-status").empty()
    return text, facts, status
