"""Settings as fields of a page, which the address knows: numbers, the seed, yes or no."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from app.i18n import _
from app.parts.frame import pixels
from app.settings import FIELDS, Settings
from app.state import binding, current_settings


def number_field(
    name: str,
    label: str,
    *,
    width: int | Literal["stretch"] = "stretch",
    show_label: bool = True,
    disabled: bool = False,
) -> None:
    """Draw a number, with the bounds and the default of its setting.

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


def toggle_field(name: str, label: str) -> bool:
    """Draw a setting that is on or off, and say which.

    Args:
        name: of a field of :class:`app.settings.Settings` that belongs to a widget.
        label: what it is, in the reader's language.
    """
    return st.toggle(
        label,
        value=getattr(Settings, name),
        key=name,
        bind=binding(name),
        persist_state="page",
        width="content",
    )


def seed_field(
    again: str = "",
    *,
    key: str = "draw-again",
    width: int | Literal["stretch"] = "stretch",
    show_label: bool = True,
    disabled: bool = False,
) -> None:
    """Draw the seed of what a page draws at random, and beside it a button for the next one.

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
