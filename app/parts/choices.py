"""What a picture keeps in the page address by itself: the Python side of `attention/choices.js`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.settings import DEFAULTS, Value

Choice = tuple[int, Mapping[str, Value]] | None
"""What the last scene says, with a number of its own; None before the first scene."""


def address_choices(names: Sequence[str], choice: Choice) -> dict[str, Any]:
    """What the script has to know of its settings: their defaults, and what the scene says of them.

    Args:
        names: of the settings that the picture keeps in the browser.
        choice: what the scene says, of other settings too.
    """
    said = None
    if choice is not None:
        number, settings = choice
        said = [number, {name: settings[name] for name in names if name in settings}]
    return {"defaults": {name: DEFAULTS[name] for name in names}, "choice": said}
