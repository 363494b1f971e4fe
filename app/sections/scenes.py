"""The scenes of a page: which one is shown, and the way to the next one."""

from __future__ import annotations

import time
from collections.abc import Collection

import streamlit as st

from app.parts.choices import Choice
from app.parts.scene_keys import scene_keys
from app.scenes import scene_number, scenes_of
from app.settings import IN_BROWSER, Owner
from app.state import current_settings, is_held, names, show

KEY = "scene-keys"
IN_SCENE = "settings of the {owner} in the scene"


def draw_scene_keys(
    page: str, *, widgets: Collection[str], canvas: bool = False, charts: bool = False
) -> None:
    """Draw the number and title of the scene between two buttons.

    A page calls :func:`app.state.settle` once it has drawn its widgets.

    Args:
        page: as in :func:`app.scenes.scenes_of`.
        widgets: the settings that have a widget on this page.
        canvas: whether the page has an attention canvas, which a scene sets too.
        charts: whether it has charts that keep their own settings; a scene sets these alone.
    """
    scenes = scenes_of(page)
    present: dict[Owner, bool] = {"canvas": canvas, "charts": charts}

    def show_scene(number: int) -> None:
        settings = dict(scenes[number - 1].settings)
        if charts:  # what the reader has on other pages stays as it is
            settings = {name: settings[name] for name in names("charts")}
        for owner in IN_BROWSER:
            own = {name: settings.pop(name) for name in names(owner) if name in settings}
            if present[owner]:
                settings |= own
                # A number of its own, whatever this browser was told before.
                st.session_state[IN_SCENE.format(owner=owner)] = (time.time_ns() // 1_000_000, own)
        show({**settings, "scene": str(number)}, widgets=widgets)

    current = scene_number(page, current_settings().scene)
    titles = [scene.title for scene in scenes]
    scene_keys(titles, current, page=page, key=KEY, on_step=show_scene)


def run_page_if_needed() -> None:
    """In a fragment: run the whole page if more than the canvas changes with the scene."""
    if is_held():
        st.rerun()


def canvas_of_scene() -> Choice:
    """What the last scene says to the canvas of the page, with a number of its own."""
    run_page_if_needed()
    return _said_to("canvas")


def picture_of_scene() -> Choice:
    """The same for a picture that is drawn by the very run of the page that the scene starts."""
    return _said_to("canvas")


def charts_of_scene() -> Choice:
    """What the last scene says to the charts of the page, with a number of its own."""
    return _said_to("charts")


def _said_to(owner: Owner) -> Choice:
    choice: Choice
    choice = st.session_state.get(IN_SCENE.format(owner=owner))
    return choice
