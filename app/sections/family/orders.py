"""XLNet's orders of reading, as masks."""

from __future__ import annotations

import streamlit as st

from app.i18n import _
from app.parts.card_heading import card_heading
from app.sections.family.family_orders import family_orders
from app.sections.scenes import picture_of_scene

SOURCE = "Yang et al. 2019, “XLNet”, 2.2–2.3"


def draw_orders() -> None:
    """Draw the card."""
    with st.container(key="card-family-orders", border=True):
        title = _("XLNet: an order of reading is a mask")
        hint = _("words and positions stay where they are; {source}").format(source=SOURCE)
        card_heading(title, hint)
        family_orders(picture_of_scene(), key="family-orders")
