"""The text that is continued, with examples."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from app.parts.sentence_box import Example, sentence_with_examples
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
    """Draw the row; what comes back is that of :func:`sentence_with_examples`."""
    return sentence_with_examples(EXAMPLES)
