"""The attention canvas: every head of every layer, and the lines of one head, in the browser."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from app.i18n import _

STATIC: Final = Path(__file__).resolve().parents[1] / "static"
SCRIPTS: Final = STATIC / "js" / "attention"
STYLE: Final = STATIC / "css" / "attention.css"

# Streamlit takes a string without a line break for a file name.
_HTML: Final = """
<div class="attention-canvas waiting" data-drawn="false" aria-busy="true"></div>
"""

# The version stands in the address of every module, so a browser never mixes old and new ones.
_LOADER: Final = """
const address = new URL("app/static/js/attention/main.js?v={version}", document.baseURI);
export default async function (component) {{
  const {{ mount }} = await import(address);
  return mount(component, {{ reportsToken: {reports_token} }});
}}
"""


def canvas_strings() -> dict[str, str]:
    """Every string the canvas shows or speaks, in the reader's language."""
    return {
        "tokens": _("Tokens: choose where the lines start"),
        "allHeads": _("All heads"),
        "allHeadsHint": _("layers down, heads across"),
        "atlas": _("Attention of all heads. Chosen: {head}."),
        "head": _("Layer {layer}, head {head}"),
        "from": _("from “{token}”"),
        "fromAll": _("from every token"),
        "strongest": _("strongest: “{query}” to “{key}” {weight}"),
        "keys": _("Arrow keys move between heads, Home and End to the first and last of a layer."),
        "scale": _("Colour scale"),
        "scaleAbsolute": _("absolute"),
        "scaleHead": _("per head"),
        "scaleRow": _("per row"),
        "legendAbsolute": _("1"),
        "legendHead": _("largest weight of the head"),
        "legendRow": _("largest weight of the row"),
        "mapSet": _("Kind of attention"),
        "lines": _("Lines of {head}, {from}. {summary}"),
        "looksMost": _("“{query}” looks most at {list}"),
        "looksNowhere": _("“{query}” is masked: it may look at nothing."),
        "chooseToken": _("Choose a token to see its weights."),
        "keyWeight": _("“{key}” {weight}"),
        "gap": _("{count} more"),
        "attends": _("{head}: “{query}” attends {weight} to “{key}”"),
        "table": _("Weights as a table"),
        "tableCaption": _("Strongest weights of {head}, {from}"),
        "token": _("token"),
        "position": _("position"),
        "weight": _("weight"),
        "masked": _("masked"),
        "unreadable": _("The picture could not be drawn: {reason} Please reload the page."),
        "wrongFormat": _("the data is not an attention picture."),
        "wrongVersion": _("the data comes from another version of Headlight."),
        "cutShort": _("the data arrived incomplete."),
    }


def attention_canvas(
    payload: bytes, *, key: str, on_token_change: Callable[[], None] | None = None
) -> int | None:
    """Draw attention maps; the reader moves between heads and tokens without a rerun.

    Args:
        payload: the blob of :func:`app.components.attention_payload.encode`.
        key: identity of this canvas. New bytes under the same key redraw it in place and keep
            what the reader has chosen.
        on_token_change: called when the reader chooses a token. Without it nothing the reader
            does in the canvas reaches Python.

    Returns:
        The token just chosen, in the one run that follows the choice; otherwise None.
    """
    if on_token_change is None:
        _component(reports_token=False)(data=payload, key=key)
        return None
    result = _component(reports_token=True)(data=payload, key=key, on_token_change=on_token_change)
    return result.token


@cache
def _component(*, reports_token: bool) -> ComponentRenderer:
    name = "headlight_attention_reporting" if reports_token else "headlight_attention"
    script = _LOADER.format(
        version=_scripts_version(), reports_token="true" if reports_token else "false"
    )
    style = STYLE.read_text(encoding="utf-8")
    return st.components.v2.component(name, html=_HTML, css=style, js=script)


def _scripts_version() -> str:
    digest = hashlib.sha256()
    for path in sorted(SCRIPTS.glob("*.js")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
