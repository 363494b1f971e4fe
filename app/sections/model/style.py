"""The style sheet of the page."""

from pathlib import Path

import streamlit as st

STATIC = Path(__file__).resolve().parents[2] / "static"


def draw_style() -> None:
    """Bring the style of the cards, which are plain HTML."""
    st.html(STATIC / "css" / "model.css")
