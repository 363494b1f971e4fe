"""Which scene is shown, and the keys that lead to the next one: PageDown and PageUp."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from app.i18n import _
from app.parts.scripts import script_component

# When the browser took the step that was answered last, in its own milliseconds.
ANSWERED = "answered step of {key}"

HTML = """
<nav class="scenes" hidden>
<button type="button" class="back">‹</button><span role="status"></span
><button type="button" class="on">›</button>
</nav>
"""


def scene_keys(
    titles: Sequence[str], current: int, *, page: str, key: str, on_step: Callable[[int], None]
) -> None:
    """Draw the number and title of the scene between two buttons.

    Args:
        titles: of all scenes, in order.
        current: number of the one that is shown, counted from 1; 0 for none.
        page: whose scenes they are.
        key: identity of this component on its page.
        on_step: called with the number of the scene that the reader goes to.
    """
    strings = {
        "label": _("Scenes"),
        "back": _("Previous scene (Page Up)"),
        "on": _("Next scene (Page Down)"),
        "none": _("Scenes"),
        "current": _("Scene {number} of {count}: {title}"),
    }
    answered = ANSWERED.format(key=key)

    def take_step() -> None:
        step = st.session_state[key].step
        number, taken = step.get("number"), step.get("taken")
        if isinstance(number, int) and 1 <= number <= len(titles):
            st.session_state[answered] = taken
            on_step(number)

    data = {
        "titles": list(titles),
        "current": current,
        "page": page,
        "answered": st.session_state.get(answered, 0),
        "strings": strings,
    }
    component = script_component("js/parts/scene_keys", "scene_keys", html=HTML, shared_sheet=False)
    component(data=data, key=key, on_step_change=take_step, width="content")
