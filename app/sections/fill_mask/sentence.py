"""The sentence of the page, with examples for masks."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.components.sentence_box import Example, examples, sentence_field, sentence_row
from app.settings import Settings

EXAMPLES = (
    Example(Settings.text),
    Example("the man went to the [MASK] to buy a [MASK] of milk"),
    Example("She is eating a green apple."),
    Example("i have a funny story about dinosours"),
    Example("The capital of France is [MASK]."),
    Example("Thank you for inviting me to your party last week ."),
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
