"""The attention canvas: every head of every layer, and the lines of one head, in the browser."""

from __future__ import annotations

from typing import Final

from app.i18n import _
from app.parts.explorer_strings import explorer_strings
from app.parts.export_strings import export_strings
from app.parts.pinned_strings import pinned_strings
from app.parts.scripts import script_component

# Streamlit takes a string without a line break for a file name.
_HTML: Final = """
<div class="attention-canvas waiting" data-drawn="false" aria-busy="true"></div>
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
        "legendHead": _("largest in the head"),
        "legendRow": _("largest in the row"),
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
        **explorer_strings(),
        **pinned_strings(),
        **export_strings(),
    }


def attention_canvas(payload: bytes, *, key: str) -> None:
    """Draw attention maps; nothing the reader does in the canvas reruns the page.

    What the payload left out comes by the channel that its settings name: see
    :mod:`app.parts.attention_channel`.

    Args:
        payload: the message of :func:`app.parts.attention_payload.encode`.
        key: identity of this canvas. New bytes under the same key redraw it in place and keep
            what the reader has chosen; layers that came before stay where the maps are the same.
    """
    # The script fetches further sheets, each once: inline they would travel with every picture.
    component = script_component(
        "js/attention/main",
        "attention-canvas",
        sheets=("css/attention_frame",),
        html=_HTML,
        shared_sheet=False,
    )
    component(data=payload, key=key)
