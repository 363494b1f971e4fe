"""The style sheet of the page."""

from pathlib import Path

import streamlit as st

STATIC = Path(__file__).resolve().parents[2] / "static"


def draw_style() -> None:
    """Bring the places that keep their size while a result is computed."""
    st.html(STATIC / "css" / "replaced_page.css")
