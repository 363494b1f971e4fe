"""The attention of one sentence: every head at once, and the lines of one."""

from streamlit.delta_generator import DeltaGenerator

from app.parts.attention_canvas import attention_canvas, attention_payload, fits_at_once
from app.parts.attention_channel import draw_channel
from app.parts.attention_settings import CanvasSettings
from app.parts.sentence_box import first_token
from app.settings import Settings
from app.state import current_settings
from core.engine import Call
from core.tasks import AttendResult

KEY = "canvas"
CHANNEL = "canvas-channel"


def draw_picture(
    question: Call[AttendResult], result: AttendResult, status: DeltaGenerator
) -> None:
    """Draw the canvas; a long text's layers follow as the reader comes to them.

    Args:
        question: what is drawn.
        result: its answer.
        status: where a wait is spoken of.
    """
    layers = None
    if not fits_at_once(result.patterns.shape):
        last = len(result.patterns) - 1
        layers = (min(max(current_settings().layer, 0), last),)
    token = first_token(result.encoding)
    view = CanvasSettings(Settings.layer, Settings.head, token, channel=CHANNEL)
    attention_canvas(attention_payload(question, result, view, layers), key=KEY)
    draw_channel(question, status, key=CHANNEL, page="")
