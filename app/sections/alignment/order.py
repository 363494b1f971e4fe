"""What stands above on the page: the translation, or the six scores."""

from __future__ import annotations

from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.i18n import N_, _
from app.state import choose, current_settings

KEY: Final = "first-choice"
PARTS: Final = {"": N_("A translation"), "scores": N_("Six scores by hand")}


def draw_order() -> None:
    """Draw the choice of what comes first."""
    chosen = current_settings().first
    # The address decides, also after a step back and in a scene.
    st.session_state[KEY] = chosen if chosen in PARTS else ""
    st.segmented_control(
        _("First"),
        list(PARTS),
        format_func=lambda name: _(PARTS[name]),
        key=KEY,
        required=True,
        label_visibility="collapsed",
        on_change=lambda: choose("first", st.session_state[KEY]),
    )


def places() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Room for the translation and for the scores, in the chosen order."""
    above, below = st.container(), st.container()
    return (below, above) if current_settings().first == "scores" else (above, below)
