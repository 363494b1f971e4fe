"""The style sheet of the page."""

from pathlib import Path

import streamlit as st

STATIC = Path(__file__).resolve().parents[2] / "static"


def draw_style() -> None:
    """Bring the style of the page, and of the cards that it shares with "Fill in the mask"."""
    for name in ("fill_mask", "pairs"):
        st.html(STATIC / "css" / f"{name}.css")
