"""Below everything: a link, the way to all heads, and how to read the page."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.card_facts import weaknesses
from app.host import load_policy
from app.i18n import _
from app.navigation import PAGES
from app.parts.foot import foot
from app.parts.sentence_box import READ_ALONE
from app.sections.next_word.reading import PositionReading
from app.state import open_page
from core.checkpoints.files import CARD
from core.checkpoints.source import find_folder


def draw_foot(reading: PositionReading) -> None:
    """Draw the line at the bottom of the page."""
    foot(_how_to_read(), before=lambda: _draw_way_to_heads(reading))
    card = find_folder(reading.checkpoint, load_policy()).read_text(CARD) or ""
    weak = weaknesses(card)
    if weak:
        said = _("Where it is weak, in the words of its card: {line}").format(line=weak[0])
        st.html(f'<p class="mask-foot">{escape(said)}</p>')


def _draw_way_to_heads(reading: PositionReading) -> None:
    label = _("All heads of this run")
    if st.button(f":primary[{label}]", type="tertiary", key="next-attention"):
        settings = {"text": reading.encoding.texts[0], "model": reading.checkpoint}
        places = {"token": str(reading.position - 1), "view": "grid"}
        open_page(PAGES / "attention.py", settings, places=places, forgotten=READ_ALONE)


def _how_to_read() -> str:
    return _(
        "- **One pass predicts every place.** No token sees those after it, so what the"
        " model expected at each place does not depend on what came. Click a token to see"
        " the distribution that it came from.\n"
        "- **Surprise** is minus the binary logarithm of the probability: a piece of"
        " probability 1/8 is worth 3 bits. The first piece has nothing before it and is"
        " not counted. Bits a byte compare models whose vocabularies cut a text"
        " differently.\n"
        "- **Temperature** divides the scores before the softmax: below 1 the likely"
        " pieces become likelier, at 0 the likeliest is always taken. **Top-k** keeps the k"
        " likeliest (Fan et al. 2018). **Top-p** keeps the fewest whose chances add up to"
        " at least p, after temperature and top-k (Holtzman et al. 2020). What is left is"
        " scaled to 1. The bits below are the entropy that is left: what a draw is worth.\n"
        "- **The outline is the model’s probability,** the full bar the chance after the"
        " three. They are computed here from the scores of the whole vocabulary; no slider"
        " runs the model again.\n"
        "- **A draw** is a random number from 0 to 1 that falls on the line above the"
        " pieces, where each is as long as its chance.\n"
        "- **A piece is not a word.** “␣” marks a space before it; a piece without one"
        " goes on with the word. The grown text is cut into pieces anew.\n"
        "- **BERT beside it** reads both sides of a gap. It cannot write on: with a mask at"
        " the end of the text it expects a full stop, because in training the text went on"
        " after its gaps."
    )
