"""Below everything: a link, how to read the page, and what the model is."""

from __future__ import annotations

from app.i18n import _
from app.parts.foot import foot
from app.parts.model_picker import ChosenModel
from app.sections.translate.model_words import draw_card_button, draw_model_words


def draw_foot(model: ChosenModel) -> None:
    """Draw the line at the bottom of the page."""
    foot(_how_to_read(), after=lambda: draw_card_button(model))
    draw_model_words(model)


def _how_to_read() -> str:
    return _(
        "- **Without attention** a decoder gets one vector for the whole source, however"
        " long it is. With it, every step looks at all states of the encoder.\n"
        "- **A row is a piece that was written, a column a token of the source;** the"
        " darker, the more of that token’s state went into the step. A row adds up to 1.\n"
        "- **One step:** the decoder’s last state scores every state of the encoder, a"
        " softmax makes weights of the scores, and the states’ sum by these weights is the"
        " context. From it, the last state and the last piece comes the new state"
        " (Bahdanau, Cho and Bengio 2015, section 3.1). Arrow keys go from step to step.\n"
        "- **Which state asks** differs: in Bahdanau’s decoder the one before the step, in"
        " Luong’s the one after it. Slides mix both up; the line above the picture says"
        " what this model does.\n"
        "- **In the words of the Transformer** the decoder’s state is the query, and the"
        " encoder’s states are both keys and values.\n"
        "- **The six scores** are worked on the same vectors by the modules that models are"
        " made of here; the numbers are rounded to three decimals. The cosine does not"
        " care how long a state is, the dot product does; the location score never sees h;"
        " √d keeps the softmax from becoming too sure in many dimensions.\n"
        "- **An alignment is not a dictionary:** a state of the encoder has read the whole"
        " sentence, in both directions, so a weight on “book” is one on “book” in this"
        " sentence. Often the weight lies on a neighbour."
    )
