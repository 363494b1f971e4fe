"""Below everything: a link, and how to read the page."""

from __future__ import annotations

from app.i18n import _
from app.parts.foot import foot


def draw_foot() -> None:
    """Draw the line at the bottom of the page."""
    foot(_how_to_read())


def _how_to_read() -> str:
    return _(
        "- **One sentence, eight readers.** They differ in vocabulary, size and"
        " training text as well as in what they learned from, so a better guess does"
        " not show a better objective. These are small models of ours; what the papers"
        " measured stands in grey with its table.\n"
        "- **Hidden tokens are amber.** A word of k pieces becomes k masks, and each is"
        " guessed as if the others were unknown.\n"
        "- **XLNet hides nothing.** Its query stream predicts the place, and no token"
        " may look at the word that stands there: that column of the map is grey. The"
        " row of the hidden word is the query stream’s.\n"
        "- **Small maps** are the mean over the heads of a layer; rows look at columns,"
        " the amber row is the hidden token’s. A click shows all heads.\n"
        "- **Draws** follow the rules that the models were trained by, with the seed"
        " that is shown. They involve no model.\n"
        "- **Parameters** are counted from the shapes of the published sizes; a shared"
        " tensor counts once.\n"
        "- **One module, many layers.** Weights that are one set still look elsewhere"
        " in every layer, because each layer reads what the one before has written."
    )
