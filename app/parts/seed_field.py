"""The seed of what a page draws at random: a field, and a button for the next one."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from app.i18n import _
from app.parts.number_field import number_field
from app.settings import FIELDS
from app.state import current_settings


def seed_field(
    again: str = "",
    *,
    key: str = "draw-again",
    width: int | Literal["stretch"] = "stretch",
    show_label: bool = True,
    disabled: bool = False,
) -> None:
    """Draw the field, and beside it the button.

    Args:
        again: what the button says; without it there is none.
        key: of the button.
        width: of the field, in pixels.
        show_label: whether the field's name stands above it.
        disabled: where nothing is drawn.
    """
    number_field("seed", _("Seed"), width=width, show_label=show_label, disabled=disabled)
    if again:
        st.button(again, key=key, on_click=next_seed, disabled=disabled)


def next_seed() -> None:
    """Go on to the next seed; after the largest one comes 0. For a callback."""
    most: int = FIELDS["seed"].metadata["most"]
    st.session_state["seed"] = (current_settings().seed + 1) % (most + 1)
