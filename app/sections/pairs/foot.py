"""Below everything: the way to all heads, a link, and how to read the page."""

from __future__ import annotations

import streamlit as st

from app.i18n import _
from app.navigation import PAGES
from app.parts.foot import foot
from app.parts.model_picker import ChosenModel
from app.parts.sentence_box import OF_ONE_TEXT
from app.state import open_page
from app.theme import primary


def draw_foot(model: ChosenModel, text: str, pair: str | None) -> None:
    """Draw the line at the bottom of the page.

    Args:
        model: whose heads the way leads to.
        text, pair: the sentences.
    """

    def draw_way_to_heads() -> None:
        label = _("All heads of {model} on this pair").format(model=model.title)
        if st.button(primary(label), type="tertiary", key="pair-attention"):
            settings = {"text": text, "pair": pair or "", "model": model.name}
            places = {"view": "grid", "part": "", "token": "-1"}
            open_page(PAGES / "attention.py", settings, places=places, forgotten=OF_ONE_TEXT)

    foot(_how_to_read(), before=draw_way_to_heads)


def _how_to_read() -> str:
    return _(
        "- **A, B is the pair as typed, B, A the same swapped,** and A, C the first"
        " sentence with C, which is one that has nothing to do with it until you write"
        " another into its field.\n"
        "- **Each column adds up to 1:** it is the softmax over the answers that the model"
        " was trained to give, read at [CLS]. The strongest is set in bold.\n"
        "- **Loss** is minus the natural logarithm of the first answer’s probability: what"
        " training would have charged, had that answer been the right one. A right answer"
        " at 0.9 costs 0.105.\n"
        "- **Our three models differ in size and training,** so compare what each does when"
        " the pair changes, not their numbers with each other. Each line at the bottom of"
        " a card says how often the model was right on pairs that it had not seen.\n"
        "- **The input** of a token is what it is, plus which sentence it belongs to, plus"
        " where it stands; [CLS] and the first [SEP] belong to A. Terms and sum share one"
        " scale, so that the sum can be seen; what follows the norm has its own.\n"
        "- **Length** is the Euclidean norm of a token’s vector. The squares of the terms’"
        " lengths add up to that of the sum only where the terms stand at right angles."
    )
