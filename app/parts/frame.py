"""What stands around every page: its language, brand and style."""

from pathlib import Path

import streamlit as st

from app import i18n
from app.state import current_settings

STATIC = Path(__file__).resolve().parent.parent / "static"
SIDEBAR_WIDTH_PIXELS = 212
PRESENTED = 1.25  # times as large: `html` in `static/css/present.css`


def draw_frame() -> None:
    """Prepare a run: call it before anything else is drawn."""
    st.set_page_config(
        page_title="Headlight",
        page_icon=str(STATIC / "icon.svg"),
        layout="wide",
        initial_sidebar_state=SIDEBAR_WIDTH_PIXELS,
    )
    settings = current_settings()
    i18n.use_language(i18n.choose_language([settings.lang, st.context.locale]))
    st.logo(STATIC / "icon.svg", size="small")
    if settings.present:
        st.html(STATIC / "css" / "present.css")


def pixels(width: int) -> int:
    """The width of a widget, which Streamlit wants in pixels; larger where type is larger."""
    return round(width * PRESENTED) if current_settings().present else width
