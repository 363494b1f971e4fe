"""Below everything: a link, and how to read the page."""

from app.i18n import _
from app.parts.foot import foot


def draw_foot() -> None:
    """Draw the line at the bottom of the page."""
    foot(_how_to_read())


def _how_to_read() -> str:
    return _(
        "- **Why positions at all.** Attention compares every token with every other,"
        " wherever they stand. What tells “dog bites man” from “man bites dog” has to"
        " be added.\n"
        "- **A row is a position, a column a dimension.** Amber is negative, indigo"
        " positive. The left dimensions of the sinusoids turn fast, the right ones"
        " hardly move over a sentence.\n"
        "- **Nearness** is the dot product of two codes; for a query and a key it is"
        " what their positions add to a score.\n"
        "- **Three properties** that such a nearness could have (Wang et al. 2021, “On"
        " Position Embeddings in BERT”): the farther, the less near (monotonicity);"
        " only the distance counts (translation invariance); the direction does not"
        " (symmetry). Sinusoids have the last two exactly, and lose the first: at width"
        " 128 between distances 11 and 12, at width 512 between 43 and 44.\n"
        "- **Symmetry is no merit by itself.** Dot products within one table are always"
        " symmetric; a model tells before from after by the matrices that make queries"
        " and keys. T5’s bias and rotary positions tell it themselves.\n"
        "- **Transformer-XL’s term** is a query times the wave of a distance, which"
        " depends on the text, plus a learned bias times that wave, which does not. The"
        " second alone is invariant to translation, and as different before and after"
        " as the model likes.\n"
        "- **Curves in space** show each vector by the three directions in which all of them"
        " differ most (principal components). Drag to turn them. Sinusoids make a smooth curve"
        " of any positions; a learned table need not, and its first row may stand far off.\n"
        "- **The properties are measured over all positions chosen,** also while the"
        " picture is zoomed in.\n"
        "- **Without positions** the position term is replaced by zeros at its hook"
        " point. The model was not trained so: what it then guesses shows what is"
        " missing, not how good a model without positions would be."
    )
