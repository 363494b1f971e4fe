"""The sentence of the first page, with its examples."""

from streamlit.delta_generator import DeltaGenerator

from app.parts.sentence_box import Example, sentence_with_examples
from app.settings import Settings

# Of the lectures' demo lines those that are one sentence.
EXAMPLES = (
    Example(Settings.text),
    Example("She is eating a green apple."),
    Example("The FBI is chasing a criminal on the run ."),
    Example("the man went to the [MASK] to buy a [MASK] of milk"),
    Example("i have a funny story about dinosours"),
    Example("Thank you for inviting me to your party last week ."),
)


def draw_sentence_row() -> tuple[str, DeltaGenerator, DeltaGenerator]:
    """Draw the row; what comes back is that of :func:`sentence_with_examples`."""
    return sentence_with_examples(EXAMPLES)
