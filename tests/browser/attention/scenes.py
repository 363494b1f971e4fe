"""Scenes of the attention explorer made without a page: maps, settings, and what scripts answer."""

import base64
from collections.abc import Sequence
from functools import cache
from typing import Any

from playwright.sync_api import Locator

from app.browser_files import folder
from app.parts.attention_canvas import encode
from app.parts.attention_settings import CanvasSettings
from app.parts.attention_strings import canvas_strings
from core.tasks import AttentionMap

# `root` is the canvas's element: its style sheet makes the theme.
COMPOSE = """async (root, [folder, text, choices, argument]) => {
    const load = (name) => import(`/${folder}/js/${name}.js`);
    const { decode } = await load("attention/map_set");
    const { projectionOf } = await load("attention/projection");
    const { CanvasState } = await load("attention/state");
    const { readTheme } = await load("lib/theme");
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const { sets, settings, strings } = decode(bytes);
    const state = new CanvasState(["indigo", "viridis", "cividis"]);
    state.adopt(sets, { ...settings, layout: "explorer" });
    state.choose(choices);
    const { mapSet, values } = state;
    const projection = projectionOf(mapSet, values);
    const scene = { mapSet, projection, values, theme: readTheme(root), strings };
    return (%s)(load, scene, argument);
}"""


@cache
def strings() -> dict[str, str]:
    """What the canvas says in English; outside of a page there is no other language."""
    return canvas_strings()


def evaluate(
    root: Locator,
    script: str,
    sets: Sequence[AttentionMap],
    choices: dict[str, Any],
    argument: Any = None,
    layers: Sequence[int] | None = None,
) -> Any:
    """What `script(load, scene, argument)` answers; of long texts only some layers come."""
    message = encode(sets, CanvasSettings(), layers=layers)
    text = base64.b64encode(message).decode()
    return root.evaluate(COMPOSE % script, [folder(), text, choices, argument])
