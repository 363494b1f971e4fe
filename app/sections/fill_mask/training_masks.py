"""Random masking as in training: one reading draw by draw, and static against dynamic masking."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.ask import ask
from app.i18n import _
from app.parts.card_heading import card_heading
from app.parts.fields import number_field, seed_field
from app.parts.notices import notices
from app.sections.fill_mask.mask_draws import mask_draws, mask_epochs
from app.state import current_settings
from app.theme import percent
from core.engine import call
from core.objectives.masking import MaskingRule
from core.tasks import random_masking

DRAWS, EPOCHS = "mask_draws", "mask_epochs"


@st.fragment
def draw_training_masks(checkpoint: str, text: str) -> None:
    """Draw both cards.

    Args:
        checkpoint: name of the model.
        text: the sentence.
    """
    settings = current_settings()
    question = call(
        random_masking, checkpoint, text, seed=settings.seed, epochs=settings.epochs, dynamic=False
    )
    with st.container(key="training-masks", gap="small"):
        status = st.container(key="training-masks-status").empty()
        static = None
        with st.container(key="training-draws", gap="small"):
            _draw_seed_row(settings.seed)
            with notices():
                static = ask(question, status)
                mask_draws(static, key=DRAWS)
        if static is None:
            return
        with st.container(key="training-epochs", gap="small"):
            _draw_epochs_row()
            with notices():
                mask_epochs(static, ask(question.changed(dynamic=True), status), key=EPOCHS)
            _draw_source()


def _draw_seed_row(seed: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        drawn = _("{share} of the tokens, drawn with seed {seed}")
        share = percent(MaskingRule().share)
        card_heading(_("Masked as in training"), drawn.format(share=share, seed=seed))
        seed_field(_("Draw again"))


def _draw_epochs_row() -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        card_heading(_("Static and dynamic, epoch by epoch"), _("both begin with the draw above"))
        number_field("epochs", _("Epochs"))


def _draw_source() -> None:
    source = _(
        "Liu et al. 2019, “RoBERTa”, section 4.1: BERT was trained on ten copies of its texts, each"
        " masked once and for all. In 40 epochs with 10 masks a text was seen 4 times with each."
        " RoBERTa draws a mask whenever a text is read."
    )
    st.html(f'<p class="training-note">{escape(source)}</p>')
