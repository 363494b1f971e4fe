"""Below everything: a link, how to read the page, and what the model is."""

from __future__ import annotations

from functools import partial

import streamlit as st

from app.i18n import _
from app.navigation import PAGES
from app.parts.foot import foot
from app.parts.model_picker import ChosenModel
from app.sections.translate.model_words import draw_card_button, draw_model_words
from app.state import current_settings, open_page
from core.tasks.watch_translation import WatchedTranslation


def draw_foot(model: ChosenModel, found: WatchedTranslation | None) -> None:
    """Draw the line at the bottom of the page.

    Args:
        model: which one translates.
        found: the translation that is shown; None where there is none.
    """
    way = None if found is None else partial(_draw_way_to_heads, model, found)
    foot(_how_to_read(), before=way, after=lambda: draw_card_button(model))
    draw_model_words(model)


def _draw_way_to_heads(model: ChosenModel, found: WatchedTranslation) -> None:
    label = _("All heads of this run")
    if not st.button(f":primary[{label}]", type="tertiary", key="translate-attention"):
        return
    settings = current_settings()
    # What a search with beams has found is no likeliest piece each time.
    target = found.text if settings.beams > 1 else ""
    places = {
        "set": "cross",
        "layer": str(settings.layer),
        "head": str(settings.head),
        "token": str(min(settings.step, len(found.target) - 1)),
    }
    open_page(PAGES / "attention.py", {"model": model.name, "target": target}, places=places)


def _how_to_read() -> str:
    return _(
        "- **One step writes one piece.** The decoder reads the start token and what is"
        " written so far; of its last vector a softmax makes a probability for every piece"
        " of the vocabulary. Arrow keys, the slider or a click on a piece go to a step.\n"
        "- **Three kinds of attention, side by side** (Vaswani et al. 2017, section 3.2.3)."
        " Encoder: queries, keys and values come from the source. Decoder: all three from"
        " what is written. Cross: queries from the target, keys and values from the"
        " encoder’s output. A row says where one token looks; it adds up to 1.\n"
        "- **A row belongs to the token that is read,** from which the next one is written:"
        " the row of “Der” is that of the step that writes what follows “Der”.\n"
        "- **Sequence mask (grey):** a token may not see what comes after it, because it is"
        " not written yet. **Padding mask (hatched):** in a batch shorter texts are filled"
        " up; nobody may look there. Scores there are set to the least number before the"
        " softmax, so that the weights are 0. Take the padding away: no other number"
        " changes.\n"
        "- **Argmax takes the likeliest piece each time. A beam keeps several beginnings**"
        " and compares whole translations by their mean log-probability; so a piece may be"
        " written that was not the likeliest. Choose another result to watch it.\n"
        "- **The probability of a sentence is the product of its steps:** 0.5, 0.4 and 0.9"
        " make 0.18. Ours is rarely surer than 92 %, however easy a step is: it learned"
        " with a tenth of every target spread over all pieces (label smoothing, section"
        " 5.4).\n"
        "- **The target begins with `<pad>`:** this family of models (Marian) takes its"
        " padding as start token.\n"
        "- **Attention is not an explanation.** It says which vectors were mixed, not why."
    )
