"""The heading of a card: a title in plain words, and in grey what qualifies it."""

from __future__ import annotations

from html import escape
from typing import Literal

import streamlit as st


def card_heading(
    title: str, hint: str = "", *, width: Literal["stretch", "content"] = "stretch"
) -> None:
    """Draw the heading. Text is shown as it is, whatever is in it."""
    st.html(heading_html(title, hint), width=width)


def heading_html(title: str, hint: str = "") -> str:
    """The same as HTML, for a card that is drawn whole."""
    qualified = f"<span> · {escape(hint)}</span>" if hint else ""
    return f"<h2>{escape(title)}{qualified}</h2>"
