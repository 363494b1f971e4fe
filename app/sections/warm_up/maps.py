"""The attention of one run over one held-out pair, at the step that the run has reached."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from app.i18n import _
from app.lab.run import Run
from app.parts.attention_canvas import attention_canvas, encode
from app.parts.attention_settings import CanvasSettings
from core.tasks import AttentionMap
from core.tokenisation import Encoding

KEY = "lab-canvas"


def draw_maps(run: Run, name: str) -> None:
    """Draw every head of the newest look; nothing before the first."""
    with run.lock:
        record = run.record
        if record.start is None or not record.looks:
            return
        maps, step = record.maps(), record.looks[-1]["step"]
        source, target = (Encoding.of_pieces(record.start[side]) for side in ("source", "target"))
    title = _("Attention at step {step}").format(step=step)
    hint = _("{run}: a held-out pair, each token of the target after the right ones before it")
    words = escape(hint.format(run=name))
    st.html(f'<h2 class="lab-heading">{escape(title)}<span> · {words}</span></h2>')
    sides = {
        "encoder": (source, source),
        "decoder": (target, target),
        "cross": (target, source),
    }
    drawn = []
    for kind, (query, key) in sides.items():
        seen = np.ones((len(query), len(key)), np.bool_)
        masked = ~np.tril(seen) if kind == "decoder" else ~seen
        drawn.append(AttentionMap(kind, query, key, maps[kind], masked))
    view = CanvasSettings(layer=0, head=0, token=None, map_set="cross", scale="absolute")
    attention_canvas(encode(drawn, view), key=KEY)
