"""The attention of one sentence: every head at once, and the lines of one."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.components.attention_canvas import asked_layers, attention_canvas
from app.components.attention_payload import CanvasSettings, fits_at_once
from app.components.notices import notices
from app.components.sentence_box import first_token
from app.services import ask, attention_payload
from app.state import Settings, current_settings
from core.inference import AttendRequest

KEY = "canvas"


@st.fragment
def draw_picture(request: AttendRequest, status: DeltaGenerator) -> None:
    """Draw the canvas; a long text's layers follow as the reader comes to them.

    Args:
        request: what is drawn. The result is asked for again, not handed over: what a fragment is
            called with stays in memory as long as its reader.
        status: where a wait is spoken of.
    """
    with notices():
        result = ask(request, status)
        layers = None
        if not fits_at_once(result.patterns.shape):
            last = len(result.patterns) - 1
            layers = asked_layers(KEY) or (min(max(current_settings().layer, 0), last),)
        view = CanvasSettings(Settings.layer, Settings.head, first_token(request.text))
        payload = attention_payload(request, result, view, layers)
        attention_canvas(payload, key=KEY, on_layers_change=lambda: None)
