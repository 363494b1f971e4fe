"""What each objective hides and why, drawn on the reader's sentence by seed."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.ask import ask
from app.i18n import _
from app.parts.notices import notices
from app.sections.family.family_draws import DrawnMember, family_draws
from app.sections.family.members import MEMBERS, models_of_members
from app.sections.scenes import picture_of_scene
from app.settings import FIELDS, Settings
from app.state import binding, current_settings
from core.engine import call
from core.tasks.training_draws import training_draws

KEY = "family-draws"
READINGS = 12
MOST_CHARACTERS = 600


@st.fragment
def draw_objectives(text: str) -> None:
    """Draw the seed and every member's readings; another seed runs only this part."""
    with st.container(key="family-objectives", gap="xsmall"):
        seed = _draw_head()
        status = st.container(key="family-objectives-status").empty()
        shown = text[:MOST_CHARACTERS]
        if shown != text:
            said = _("Of this text the first {count} characters are drawn.")
            st.caption(said.format(count=MOST_CHARACTERS))
        with notices():
            members, there = [], models_of_members()
            for one in MEMBERS:
                entry = there[one.system]
                if entry is None:
                    continue
                question = call(training_draws, entry.name, shown, seed=seed, readings=READINGS)
                draws = ask(question, status)
                published = _(one.published) if one.published else ""
                row = DrawnMember(one.title, _(one.hides), _(one.why), published, draws)
                members.append(row)
            if members:
                family_draws(members, picture_of_scene(), key=KEY)


def _draw_head() -> int:
    most: int = FIELDS["seed"].metadata["most"]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        title = _("What each one hides, and why")
        hint = _("the rule it was trained by, on this sentence; no model runs")
        st.html(f"<h2>{escape(title)}<span> · {escape(hint)}</span></h2>", width="stretch")
        st.number_input(
            _("Seed"),
            min_value=0,
            max_value=most,
            value=Settings.seed,
            key="seed",
            bind=binding("seed"),
            persist_state="page",
        )
        st.button(_("Draw again"), key="draw-again", on_click=_draw_again)
    return current_settings().seed


def _draw_again() -> None:
    """The next seed; after the largest one the smallest."""
    most: int = FIELDS["seed"].metadata["most"]
    st.session_state["seed"] = (current_settings().seed + 1) % (most + 1)
