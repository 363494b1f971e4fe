"""The canvas of all heads, its channel, and the scenes that set it."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.parts.attention_canvas import attention_canvas, attention_payload, fits_at_once
from app.parts.attention_channel import draw_channel
from app.parts.attention_settings import CanvasSettings
from app.parts.sentence_box import first_token
from app.sections.scenes import canvas_of_scene, draw_scene_keys, run_page_if_needed
from app.settings import Settings
from app.state import current_settings, settle
from core.engine import Call
from core.tasks import AttendResult

KEY = "explorer"
CHANNEL = "attention-channel"


def draw_picture(question: Call[AttendResult], result: AttendResult) -> None:
    """Draw the canvas; what it lacks comes through its channel."""
    layers = None
    if not fits_at_once(*(one.patterns.shape for one in result.maps)):
        wanted = max(current_settings().layer, 0)
        layers = tuple(sorted({min(wanted, len(one.patterns) - 1) for one in result.maps}))
    view = CanvasSettings(
        Settings.layer,
        Settings.head,
        first_token(result.encoding),
        layout="explorer",
        channel=CHANNEL,
        view=Settings.view,
    )
    attention_canvas(attention_payload(question, result, view, layers), key=KEY)


def draw_scenes(question: Call[AttendResult] | None, status: DeltaGenerator) -> None:
    """Draw which scene is shown, and the channel of the canvas; call it after the page's widgets.

    Args:
        question: what the canvas draws; None where it draws nothing.
        status: where a wait is spoken of.
    """
    settle()
    _draw_scenes(question, status)


@st.fragment
def _draw_scenes(question: Call[AttendResult] | None, status: DeltaGenerator) -> None:
    run_page_if_needed()
    with st.container(horizontal_alignment="right", gap=None):
        draw_scene_keys("attention", widgets=("text", "pair", "target"), canvas=True)
        if question is not None:
            draw_channel(question, status, key=CHANNEL, page="attention", choose=canvas_of_scene)
