"""How many samples, how warm, from which seed; and a way to stop what takes long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.i18n import _
from app.parts.fields import number_field, seed_field
from app.parts.frame import pixels
from app.state import choose, current_settings
from core.engine import Call
from core.tasks.blank_parts import TextPart, text_parts
from core.tasks.step_spans import SteppedFilling

TEMPERATURE = "spans-temperature"
TEMPERATURES = (0, 20, 50, 70, 100, 150)  # hundredths
STOPPED = "filling that was stopped"
LONG = 32  # words; fewer are there before anybody could want to stop
FREE = 4  # words that a blank of the model's own choice gets as a rule


def draw_controls() -> None:
    """Draw the row."""
    temperature = current_settings().warmth
    with st.container(horizontal=True, vertical_alignment="center", key="spans-controls"):
        _draw_temperature(temperature)
        number_field("samples", _("Samples"), width=232, disabled=not temperature)
        seed_field(_("Draw again"), key="spans-again", width=232, disabled=not temperature)


def _draw_temperature(temperature: int) -> None:
    # The address decides, also after a step back and in a scene.
    st.session_state[TEMPERATURE] = temperature
    st.selectbox(
        _("Temperature"),
        sorted({*TEMPERATURES, temperature}),
        format_func=_name_of,
        key=TEMPERATURE,
        on_change=_remember_temperature,
        width=pixels(304),
    )


def _name_of(temperature: int) -> str:
    return f"{temperature / 100:g}" if temperature else _("0: always the likeliest")


def _remember_temperature() -> None:
    choose("warmth", st.session_state[TEMPERATURE])
    choose("sample", 0)


@contextmanager
def stop_button(
    question: Call[SteppedFilling], status: DeltaGenerator
) -> Iterator[DeltaGenerator | None]:
    """Draw a button while many words are written that stops it.

    Args:
        question: what is asked for.
        status: where a short wait is spoken of.

    Yields:
        Where the wait is spoken of; None where this very question was stopped.
    """
    if st.session_state.get(STOPPED) == question:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.info(_("Stopped. Nothing of a text that is not complete is shown."))
            st.button(_("Fill the blanks"), key="spans-go", on_click=_go_on)
        yield None
        return
    words = question["samples"] * sum(map(_expected, text_parts(question["text"])))
    if words < LONG:
        yield status
        return
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        st.button(_("Stop"), key="spans-stop", on_click=_stop, args=(question,))
        beside = st.empty()
    yield beside
    place.empty()


def _expected(part: TextPart) -> int:
    """Words that a part of a text is likely to get."""
    return FREE if part.words is None else part.words


def _stop(question: Call[SteppedFilling]) -> None:
    st.session_state[STOPPED] = question


def _go_on() -> None:
    st.session_state.pop(STOPPED, None)
