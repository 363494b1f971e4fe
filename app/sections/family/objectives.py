"""What each objective hides and why, drawn on the reader's sentence by seed."""

from __future__ import annotations

import streamlit as st

from app.ask import ask
from app.i18n import _
from app.parts.card_heading import card_heading
from app.parts.fields import seed_field
from app.parts.notices import notices
from app.sections.family.family_draws import DrawnMember, family_draws
from app.sections.family.members import MEMBERS, models_of_members
from app.sections.scenes import picture_of_scene
from app.state import current_settings
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
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        title = _("What each one hides, and why")
        hint = _("the rule it was trained by, on this sentence; no model runs")
        card_heading(title, hint)
        seed_field(_("Draw again"))
    return current_settings().seed
