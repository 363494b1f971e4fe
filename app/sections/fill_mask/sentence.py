"""The sentence of the page, with examples for masks."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from app.parts.sentence_box import Example, sentence_with_examples
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
    """Draw the row; what comes back is that of :func:`sentence_with_examples`."""
    return sentence_with_examples(EXAMPLES)
