"""The style sheets of the page."""

from pathlib import Path

import streamlit as st

CSS = Path(__file__).resolve().parents[2] / "static" / "css"


def draw_style() -> None:
    """Bring the style of what is plain HTML, and the places kept for the others."""
    for name in ("fill_mask", "translate_page", "length_chart", "alignment_page"):
        st.html(CSS / f"{name}.css")
