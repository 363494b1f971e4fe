"""The end of an attention canvas's channel on the page that shows it."""

from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.components.attention_channel import Answer, asked, attention_channel
from app.services import channel_answer
from app.settings import Value
from core.errors import HeadlightError
from core.inference import AttendRequest


@st.fragment
def draw_channel(
    request: AttendRequest,
    status: DeltaGenerator,
    *,
    key: str,
    page: str,
    choose: Callable[[], tuple[int, Mapping[str, Value | None]] | None] | None = None,
) -> None:
    """Answer what a canvas asks; a question reruns this fragment and nothing else.

    Args:
        request: what the canvas shows. The result is asked for again, not handed over: what a
            fragment is called with stays in memory as long as its reader.
        status: where a wait is spoken of.
        key: the name of the channel in the canvas's settings.
        page: what the address of the page ends with.
        choose: gives settings for the canvas to take over; see :func:`attention_channel`. Asked
            in every run, because a question may overtake the run that would have handed them over.
    """
    # A fragment may write to a place outside itself only if it did so in the run of the whole page.
    status.empty()
    try:
        answer = channel_answer(request, asked(key), status)
    except HeadlightError:
        # The page says what is wrong where it draws; the canvas will ask again.
        answer = Answer()
    attention_channel(answer, key=key, page=page, choose=choose() if choose else None)
