"""The attention of one run over one held-out pair, at the step that the run has reached."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from app.i18n import _
from app.lab.run import Run
from app.parts.attention_canvas import attention_canvas, canvas_strings
from app.parts.attention_maps import MapSet
from app.parts.attention_payload import encode
from app.parts.attention_settings import CanvasSettings
from app.sections.warm_up.lab_curves import kinds_in_words

KEY = "lab-canvas"


def draw_maps(run: Run, name: str) -> None:
    """Draw every head of the newest look; nothing before the first."""
    with run.lock:
        record = run.record
        if record.start is None or not record.looks:
            return
        maps, step = record.maps(), record.looks[-1]["step"]
        source, target = record.start["source"], record.start["target"]
    title = _("Attention at step {step}").format(step=step)
    hint = _("{run}: a held-out pair, each token of the target after the right ones before it")
    words = escape(hint.format(run=name))
    st.html(f'<h2 class="lab-heading">{escape(title)}<span> · {words}</span></h2>')
    sides = {
        "encoder": (source, source),
        "decoder": (target, target),
        "cross": (target, source),
    }
    labels = kinds_in_words()
    future = np.triu(np.ones((len(target), len(target)), np.bool_), 1)
    sets = [
        MapSet(
            kind,
            maps[kind],
            query_tokens=queries,
            key_tokens=keys,
            label=labels[kind],
            masked_cells=future if kind == "decoder" else None,
        )
        for kind, (queries, keys) in sides.items()
    ]
    view = CanvasSettings(layer=0, head=0, token=None, map_set="cross", scale="absolute")
    attention_canvas(encode(sets, strings=canvas_strings(), settings=view), key=KEY)
