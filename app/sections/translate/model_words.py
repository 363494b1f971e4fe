"""What a small model is, before anybody trusts what it writes: its size, its texts, its card."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.card_facts import headline, weaknesses
from app.card_text import card_html
from app.host import load_policy
from app.i18n import _
from app.parts.model_picker import ChosenModel
from app.theme import primary
from core.checkpoints import bundled_checkpoint
from core.checkpoints.figures import read_figures
from core.checkpoints.files import CARD
from core.checkpoints.source import find_folder
from core.hugging_face.errors import CheckpointError


def draw_card_button(model: ChosenModel) -> None:
    """Draw the button that opens the card of a bundled model."""
    card, _figures = _card_of(model)
    if card:
        with st.popover(primary(_("Its card")), type="tertiary", width="content"):
            st.html(f'<div class="model-words">{card_html(card)}</div>')


def draw_model_words(model: ChosenModel) -> None:
    """Draw a paragraph about a bundled model, with its card's words.

    Args:
        model: of another one nothing is known, and nothing is said.
    """
    if model.entry is None or not is_ours(model):
        return
    card, figures = _card_of(model)
    said = [
        _(
            "A small model ({size} MB) that has learned from Tatoeba’s sentence pairs of about 6"
            " words alone: longer sentences and rarer words go wrong."
        ).format(size=round(model.entry.size_bytes / 1e6))
    ]
    if figures:
        said.append(_("Its card, of held-out pairs: {figures}.").format(figures=figures))
    if weak := weaknesses(card):
        said.append(_("Where it is weak, in the words of its card: {line}").format(line=weak[0]))
    st.html(f'<p class="mask-foot">{escape(" ".join(said))}</p>')


def is_ours(model: ChosenModel) -> bool:
    """Whether a model came with the app, so that what it learned from is known."""
    return bundled_checkpoint(model.name) is not None


def _card_of(model: ChosenModel) -> tuple[str, str]:
    """The card and the best figures of a bundled model; nothing where nobody has written them."""
    if not is_ours(model):
        return "", ""
    try:
        folder = find_folder(model.name, load_policy())
        return folder.read_text(CARD) or "", headline(read_figures(folder.path))
    except CheckpointError:
        return "", ""
