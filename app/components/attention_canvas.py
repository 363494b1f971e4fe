"""The attention canvas: every head of every layer, and the lines of one head, in the browser."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

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
  return mount(component, {{ reportsToken: {reports_token}, sendsLayers: {sends_layers} }});
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
        "keys": _("keys: arrows, Home, End"),
        "worthALook": _("Worth a look:"),
        "fetching": _("Fetching layer {layer}…"),
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
    payload: bytes,
    *,
    key: str,
    on_token_change: Callable[[], None] | None = None,
    on_layers_change: Callable[[], None] | None = None,
) -> int | None:
    """Draw attention maps; the reader moves between heads and tokens without a rerun.

    Args:
        payload: the blob of :func:`app.components.attention_payload.encode`.
        key: identity of this canvas. New bytes under the same key redraw it in place and keep
            what the reader has chosen; layers that came before stay where the maps are the same.
        on_token_change: called when the reader chooses a token. Without it and the next nothing
            the reader does in the canvas reaches Python.
        on_layers_change: called when layers are needed that the payload left out. The run that
            follows finds them in :func:`asked_layers` and sends a payload that holds them.

    Returns:
        The token just chosen, in the one run that follows the choice; otherwise None.
    """
    listeners = {"on_token_change": on_token_change, "on_layers_change": on_layers_change}
    given: dict[str, Any] = {name: one for name, one in listeners.items() if one is not None}
    render = _component(
        reports_token=on_token_change is not None, sends_layers=on_layers_change is not None
    )
    result = render(data=payload, key=key, **given)
    return result.token if on_token_change else None


def asked_layers(key: str) -> tuple[int, ...]:
    """The layers a canvas has just asked for; none in every other run."""
    state = st.session_state.get(key)
    return tuple(int(layer) for layer in (state.get("layers") if state else None) or ())


@cache
def _component(*, reports_token: bool, sends_layers: bool) -> ComponentRenderer:
    name = f"headlight_attention_{int(reports_token)}{int(sends_layers)}"
    script = _LOADER.format(
        version=_scripts_version(),
        reports_token=str(reports_token).lower(),
        sends_layers=str(sends_layers).lower(),
    )
    style = STYLE.read_text(encoding="utf-8")
    return st.components.v2.component(name, html=_HTML, css=style, js=script)


def _scripts_version() -> str:
    digest = hashlib.sha256()
    for path in sorted(SCRIPTS.glob("*.js")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
