"""A number of the settings as a field, which the address knows."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from app.parts.frame import pixels
from app.settings import FIELDS, Settings
from app.state import binding


def number_field(
    name: str,
    label: str,
    *,
    width: int | Literal["stretch"] = "stretch",
    show_label: bool = True,
    disabled: bool = False,
) -> None:
    """Draw the field, with the bounds and the default of its setting.

    Args:
        name: of a field of :class:`app.settings.Settings` that belongs to a widget.
        label: what it is, in the reader's language.
        width: in pixels.
        show_label: whether the label stands above it.
        disabled: where nothing follows from it.
    """
    bounds = FIELDS[name].metadata
    st.number_input(
        label,
        min_value=bounds["least"],
        max_value=bounds["most"],
        value=getattr(Settings, name),
        key=name,
        bind=binding(name),
        label_visibility="visible" if show_label else "collapsed",
        persist_state="page",
        disabled=disabled,
        width=pixels(width) if isinstance(width, int) else width,
    )
