"""Below everything: a link, how to read the page, and where the model is weak."""

from __future__ import annotations

from functools import partial
from html import escape

import streamlit as st

from app.card_facts import weaknesses
from app.host import load_policy
from app.i18n import _
from app.navigation import PAGES
from app.parts.foot import foot
from app.parts.model_picker import ChosenModel
from app.parts.sentence_box import OF_ONE_TEXT
from app.state import current_settings, open_page
from core.checkpoints import bundled_checkpoint
from core.checkpoints.files import CARD
from core.checkpoints.source import find_folder
from core.decoding.blanks import MOST_FREE
from core.tasks.step_spans import SteppedFilling

MOST_QUOTED = 2  # points of a card


def draw_foot(model: ChosenModel, text: str, filling: SteppedFilling | None) -> None:
    """Draw the line at the bottom of the page.

    Args:
        model: which one fills.
        text: with blanks.
        filling: how they are filled; None where they are not.
    """
    way = None if filling is None else partial(_draw_way_to_heads, model, text, filling)
    foot(_how_to_read(), before=way)


def _draw_way_to_heads(model: ChosenModel, text: str, filling: SteppedFilling) -> None:
    label = _("All heads of this run")
    if not st.button(f":primary[{label}]", type="tertiary", key="spans-attention"):
        return
    settings = current_settings()
    target = ""
    # What was sampled is no likeliest piece each time.
    if settings.warmth:
        chosen = filling.texts[min(settings.sample, len(filling.texts) - 1)]
        target = " ".join(["___", *(f"{one} ___" for one in chosen.fillings)])
    open_page(
        PAGES / "attention.py",
        {"model": model.name, "text": text, "target": target},
        places={"set": "cross", "token": "-1"},
        forgotten=OF_ONE_TEXT,
    )


def draw_weakness(model: ChosenModel) -> None:
    """Say how small the bundled model is, and what the card of any model says of it."""
    said = []
    if model.entry is not None and bundled_checkpoint(model.name) is not None:
        small = _(
            "A small model: its files have {size} MB, and the paper’s largest has 11 billion"
            " parameters (Raffel et al. 2020, section 3.7)."
        )
        said.append(small.format(size=round(model.entry.size_bytes / 1e6)))
    card = find_folder(model.name, load_policy()).read_text(CARD) or ""
    points = weaknesses(card)[:MOST_QUOTED]
    if points:
        said.append(_("Its card: {points}").format(points=" ".join(points)))
    if said:
        st.html(f'<p class="spans-note">{escape(" ".join(said))}</p>')


def _how_to_read() -> str:
    return _(
        "- **Everything is text.** The encoder reads your text with a sentinel in the place"
        " of each blank, `<extra_id_0>` for the first. The decoder writes each sentinel and"
        " then what belongs there; one sentinel more closes the last blank.\n"
        "- **The colours** go with the blank, in all views alike.\n"
        "- **Exactly as many words as you ask.** `<size_8>` behind a sentinel, which is our"
        " own addition, tells the model how many. And pieces that would break the"
        " promise are not allowed: until eight words have begun the next sentinel is"
        " forbidden, after that every new word is. A word is what stands between spaces.\n"
        "- **A free blank**, `___*___`, has no size token, as in T5’s own training. After"
        " every word the next sentinel is one of the pieces that may come, and where the"
        " model writes it the blank ends; after {most} words it has to.\n"
        "- **Probabilities** are shared out among the allowed pieces only. Where a single"
        " one is allowed, it has 100 %, whatever the model thinks of it.\n"
        "- **Temperature** divides the scores before a piece is drawn: 0 takes the"
        " likeliest one always, 1 draws as the model says, more is wilder. The bars show"
        " the model’s own probabilities, before the temperature.\n"
        "- **A step reads** the piece written before it, so its self-attention reaches back"
        " to the start token `<pad>`; its cross-attention reaches the whole source.\n"
        "- **Positions:** T5’s self-attention adds a learned bias for the distance to its"
        " scores, and does not divide them by √d; its cross-attention knows no distance."
    ).format(most=MOST_FREE)
