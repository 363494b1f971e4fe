"""Which scene is shown, and the keys that lead to the next one: PageDown and PageUp."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.i18n import _
from app.parts.said import answered, read_number, said
from app.parts.scripts import script_component

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

    def take_step() -> None:
        for step in said(key, "step")[-1:]:
            number = read_number(step.get("number"), len(titles))
            if number:
                on_step(number)

    data = {
        "titles": list(titles),
        "current": current,
        "page": page,
        "answered": answered(key, "step"),
        "strings": strings,
    }
    component = script_component("js/parts/scene_keys", "scene_keys", html=HTML, shared_sheet=False)
    component(data=data, key=key, on_step_change=take_step, width="content")
