"""A recurrent model's translation and its alignment, and the algorithm in one line."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.i18n import _
from app.sections.alignment.workings import RECIPES
from core.recurrent_config import Alignment, Attends
from core.tasks.watch_translation import WatchedTranslation


def own_score(found: WatchedTranslation) -> Alignment | None:
    """The score that a model has; None for a Transformer."""
    return found.recurrent.alignment if found.recurrent else None


def draw_algorithm(found: WatchedTranslation) -> None:
    """Draw the four formulas of a step, as this very model has them."""
    own = own_score(found)
    if own is None or found.recurrent is None:
        return
    state = "sₜ₋₁" if found.recurrent.attends is Attends.PREVIOUS else "sₜ"
    score, weights, context = _("score"), _("weights"), _("context")
    steps = (
        f"{score} eₜⱼ = {RECIPES[own].formula(state, 'hⱼ')}",
        f"{weights} αₜ = softmax(eₜ)",
        f"{context} cₜ = Σⱼ αₜⱼ hⱼ",
        _("new state sₜ = GRU(sₜ₋₁, [yₜ₋₁; cₜ])"),
    )
    st.html(f'<p class="alignment-formula">{escape(" → ".join(steps))}</p>')
