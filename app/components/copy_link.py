"""A button that copies the complete link of what the reader sees."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from app.i18n import _
from app.state import DEFAULTS, Settings, Value, link_query, names

STATIC = Path(__file__).resolve().parent.parent / "static"

HTML = """
<button type="button"></button><output></output>
<input type="text" readonly hidden>
"""


def copy_link(
    settings: Settings, *, canvas: Mapping[str, Value] | None = None, key: str = "copy_link"
) -> None:
    """Draw the button.

    The link holds every setting, defaults too. Those of the canvas come from the address at the
    moment of the click, because the canvas writes them there without telling the server; it leaves
    out what it started with.

    Args:
        settings: what the page shows now.
        canvas: what the canvas of this page starts with, where the defaults of `Settings` differ.
        key: identity of this button on its page.
    """
    written = link_query(replace(settings, **{**_canvas_defaults(), **(canvas or {})}))
    at_start = {name: written.pop(name) for name in names("canvas")}
    strings = {
        "copy": _("Copy link"),
        "copied": _("Copied"),
        "link": _("Link to this page"),
        "byHand": _("Your browser did not copy it: press Ctrl+C (on a Mac ⌘C)."),
    }
    _component()(
        data={"settings": written, "canvas": at_start, "strings": strings}, key=key, width="content"
    )


def _canvas_defaults() -> dict[str, Any]:
    return {name: DEFAULTS[name] for name in names("canvas")}


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component(
        "headlight_copy_link",
        html=HTML,
        css=(STATIC / "css" / "copy_link.css").read_text(encoding="utf-8"),
        js=(STATIC / "js" / "copy_link.js").read_text(encoding="utf-8"),
    )
