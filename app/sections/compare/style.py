"""The style sheets of the page."""

from pathlib import Path

import streamlit as st

STATIC = Path(__file__).resolve().parents[2] / "static"


def draw_style() -> None:
    """Bring the style of the cards that are plain HTML, and the places kept for the others."""
    for name in ("fill_mask", "compare"):  # the cards are those of the other page
        st.html(STATIC / "css" / f"{name}.css")
