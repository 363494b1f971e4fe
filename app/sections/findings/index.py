"""The list of findings, each with what the rule says of it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.i18n import _
from app.sections.findings.standing import Standing, State
from app.sections.findings.texts import WORDS
from app.sections.findings.words import MARKS, count_of, state_in_words
from app.state import choose, current_settings

KEY = "finding-list"


def draw_index(standings: Sequence[Standing]) -> Standing:
    """Draw the list; return the finding that is chosen."""
    by_name = {one.experiment.name: one for one in standings}
    wanted = current_settings().finding
    chosen = wanted if wanted in by_name else standings[0].experiment.name
    st.session_state[KEY] = chosen
    st.segmented_control(
        _("Finding"),
        list(by_name),
        format_func=lambda name: f"{MARKS[by_name[name].state]} {_(WORDS[name].short)}",
        key=KEY,
        required=True,
        label_visibility="collapsed",
        on_change=lambda: choose("finding", st.session_state[KEY]),
    )
    return by_name[chosen]


def sum_of(standings: Sequence[Standing]) -> str:
    """How many findings stand how."""
    return " · ".join(
        f"{MARKS[state]} {state_in_words(state)}: {count}"
        for state in State
        if (count := count_of(standings, state))
    )
