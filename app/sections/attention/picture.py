"""The canvas of all heads, its channel, and the scenes that set it."""

import time
from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.components.attention_canvas import attention_canvas
from app.components.attention_payload import fits_at_once
from app.components.attention_settings import CanvasSettings
from app.components.scene_keys import scene_keys
from app.components.sentence_box import first_token
from app.scenes import scene_number, scenes_of
from app.sections.channel import draw_channel
from app.services import attention_payload
from app.state import Settings, Value, current_settings, is_held, names, settle, show
from core.inference import AttendRequest
from core.tasks import AttendResult

KEY = "explorer"
CHANNEL = "attention-channel"
SCENES = "attention"
SCENE_KEYS = "scene-keys"
CHOICE = "settings of the canvas in the scene"


def draw_picture(request: AttendRequest, result: AttendResult) -> None:
    """Draw the canvas; what it lacks comes through its channel."""
    layers = None
    if not fits_at_once(result.patterns.shape):
        last = len(result.patterns) - 1
        layers = (min(max(current_settings().layer, 0), last),)
    view = CanvasSettings(
        Settings.layer,
        Settings.head,
        first_token(request.text),
        layout="explorer",
        channel=CHANNEL,
        view=Settings.view,
    )
    attention_canvas(attention_payload(request, result, view, layers), key=KEY)


def draw_scenes(request: AttendRequest | None, status: DeltaGenerator) -> None:
    """Draw which scene is shown, and the channel of the canvas; call it after the page's widgets.

    Args:
        request: what the canvas draws; None where it draws nothing.
        status: where a wait is spoken of.
    """
    settle()
    _draw_scenes(request, status)


@st.fragment
def _draw_scenes(request: AttendRequest | None, status: DeltaGenerator) -> None:
    _run_page_if_needed()
    scenes = scenes_of(SCENES)
    number = scene_number(SCENES, current_settings().scene)
    with st.container(horizontal_alignment="right", gap=None):
        scene_keys([scene.title for scene in scenes], number, key=SCENE_KEYS, on_step=_show_scene)
        if request is not None:
            draw_channel(request, status, key=CHANNEL, choose=_canvas_of_scene)


def _run_page_if_needed() -> None:
    if is_held():
        st.rerun()


def _canvas_of_scene() -> tuple[int, Mapping[str, Value]] | None:
    _run_page_if_needed()
    choice: tuple[int, Mapping[str, Value]] | None = st.session_state.get(CHOICE)
    return choice


def _show_scene() -> None:
    number = st.session_state[SCENE_KEYS].number
    scenes = scenes_of(SCENES)
    if not isinstance(number, int) or not 1 <= number <= len(scenes):
        return
    settings = scenes[number - 1].settings
    show({**settings, "scene": str(number)}, widgets=("text", "pair"))
    # A number of its own, whatever this browser was told before.
    canvas = {name: value for name, value in settings.items() if name in names("canvas")}
    st.session_state[CHOICE] = (time.time_ns() // 1_000_000, canvas)
