"""Which code for positions is drawn, from which position on, and in how many dimensions."""

from __future__ import annotations

from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.i18n import N_, _
from app.models import models
from app.parts.fields import number_field, toggle_field
from app.parts.model_picker import ChosenModel
from app.parts.notices import notices
from app.sections.positions.curves import draw_curves
from app.sections.positions.learned import (
    constant_term,
    distance_waves,
    position_term,
    relative_bias,
    trained_rows,
)
from app.sections.positions.longer import draw_longer
from app.sections.positions.made import Drawn, rotated, waves
from app.sections.positions.position_view import position_view
from app.sections.scenes import picture_of_scene
from app.settings import Settings
from app.state import choose, current_settings

KEY, TERM_KEY = "position-code", "position-term"
# What each is called, and the system of the bundled model that it is read from.
CODES = {
    "sinusoidal": (N_("Sinusoidal"), None),
    "learned": (N_("Learned"), None),
    "rotary": (N_("Rotary"), None),
    "t5": (N_("T5’s bias"), "t5"),
    "xlnet": (N_("Transformer-XL"), "xlnet"),
}
# What is drawn of Transformer-XL's code.
TERMS = {
    "text": N_("In this text"),
    "any": N_("In any text"),
    "waves": N_("Its waves"),
}
FROM_ZERO = ("t5", "xlnet")
SIZED = ("sinusoidal", "rotary")
ROWS = ("sinusoidal", "learned")  # one vector a position, added to the token


@st.fragment
def draw_codes(model: ChosenModel) -> None:
    """Draw the choices and the picture; they run only this part.

    Args:
        model: whose learned table is drawn.
    """
    scene = picture_of_scene()
    there = _bundled_codes()
    code = current_settings().code
    code = code if code in there else "sinusoidal"
    with st.container(key="position-codes", gap="xsmall"):
        with st.container(
            horizontal=True, vertical_alignment="bottom", gap="small", key="position-choices"
        ):
            _draw_choice(there, code)
            term = _draw_term() if code == "xlnet" else ""
            _draw_sizes(code, term)
        status = st.container(key="position-status").empty()
        with st.container(horizontal=True, vertical_alignment="center", key="position-made"):
            source = st.container(width="stretch")
            if code in SIZED:
                _draw_halves(code)
        with st.container(key="position-picture"), notices():
            drawn = _drawn(code, term, model, there, status)
            if drawn is not None:
                said, picture = drawn
                source.html(f'<p class="position-source">{escape(said)}</p>')
                position_view(picture, scene, key="position_view")
        _say_missing(there)
    if code in ROWS:
        draw_curves(model, status)
    draw_longer(model, status)


def _drawn(
    code: str, term: str, model: ChosenModel, there: dict[str, str], status: DeltaGenerator
) -> Drawn | None:
    settings = current_settings()
    if code == "learned":
        return trained_rows(model, settings.positions, settings.start, status)
    if code == "t5":
        return relative_bias(there[code], settings.positions, status)
    if term == "any":
        return constant_term(there[code], settings.positions, status)
    if term == "waves":
        return distance_waves(there[code], settings.positions, status)
    if code == "xlnet":
        return position_term(there[code], settings.text, status)
    return rotated(settings) if code == "rotary" else waves(settings)


def _bundled_codes() -> dict[str, str]:
    """The codes that can be drawn, each with the name of the model that it is read from."""
    names = {one.system: one.name for one in models()}
    return {
        code: names.get(system or "", "")
        for code, (_title, system) in CODES.items()
        if system is None or system in names
    }


def _draw_choice(there: dict[str, str], code: str) -> None:
    # The address decides, also after a step back and in a scene.
    st.session_state[KEY] = code
    st.segmented_control(
        _("Code"),
        list(there),
        format_func=lambda name: _(CODES[name][0]),
        key=KEY,
        required=True,
        on_change=lambda: choose("code", st.session_state[KEY]),
    )


def _draw_term() -> str:
    asked = current_settings().term
    term = asked if asked in TERMS else Settings.term
    st.session_state[TERM_KEY] = term
    st.segmented_control(
        _("Its term"),
        list(TERMS),
        format_func=lambda name: _(TERMS[name]),
        key=TERM_KEY,
        required=True,
        on_change=lambda: choose("term", st.session_state[TERM_KEY]),
    )
    return term


def _draw_sizes(code: str, term: str) -> None:
    if term != "text":
        number_field("positions", _("Positions"), width=128)
    if code in SIZED:
        number_field("dimensions", _("Dimensions"), width=128)
    if code not in FROM_ZERO:
        number_field("start", _("First position"), width=128)


def _draw_halves(code: str) -> None:
    toggle_field("halves", _("All sines first") if code == "sinusoidal" else _("Pairs far apart"))


def _say_missing(there: dict[str, str]) -> None:
    missing = [_(title) for code, (title, _system) in CODES.items() if code not in there]
    if missing:
        st.caption(
            _("Read from trained models, so here as soon as these are bundled: {names}.").format(
                names=_(" and ").join(missing)
            )
        )
