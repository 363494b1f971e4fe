"""The line at the bottom of every page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from app.i18n import _
from app.parts.copy_link import copy_link
from app.settings import Value
from app.state import current_settings
from app.theme import primary


def foot(
    how_to_read: str,
    *,
    before: Callable[[], None] | None = None,
    after: Callable[[], None] | None = None,
    canvas: Mapping[str, Value] | None = None,
) -> None:
    """Draw a link to what is on the screen, and how to read it.

    Args:
        how_to_read: Markdown, a point a line.
        before, after: draw what a page has besides, before the link and after it.
        canvas: as in :func:`app.parts.copy_link.copy_link`.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="foot"):
        if before:
            before()
        copy_link(current_settings(), canvas=canvas)
        if after:
            after()
        with st.popover(primary(_("How to read this")), type="tertiary", width="content"):
            st.markdown(how_to_read)
