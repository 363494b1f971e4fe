"""Heads in order of a share of their attention, to be opened or turned off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import streamlit as st

from app.i18n import _
from app.parts.scripts import script_component


@dataclass(frozen=True)
class Ranked:
    """One head.

    Args:
        layer, head: counted from 0.
        share: of its attention, also as text.
        detail: what else is to be said of it.
        token, key: positions of the token that looks and of the one looked at.
        off: whether it is turned off.
    """

    layer: int
    head: int
    share: float
    percent: str
    detail: str
    token: int
    key: int
    off: bool


@dataclass(frozen=True)
class Ranking:
    """A list of heads, the first one first, and what the order means."""

    title: str
    hint: str
    rows: Sequence[Ranked]


def head_ranking(
    rankings: Sequence[Ranking],
    *,
    title: str,
    hint: str,
    key: str,
    on_toggle: Callable[[], None],
) -> Ranked | None:
    """Draw lists of heads side by side.

    Args:
        rankings: the lists.
        title, hint: what they are.
        key: identity of this card on its page.
        on_toggle: called when the reader turns one off or on; `toggled_head(key)` says which.

    Returns:
        The one that the reader wants to see, in the one run that follows the choice; otherwise
        None.
    """
    data = {
        "lists": [
            {
                "title": one.title,
                "hint": one.hint,
                "rows": [{**asdict(row), "name": _name(row)} for row in one.rows],
            }
            for one in rankings
        ],
        "strings": {
            "title": title,
            "hint": hint,
            "open": _("look at it"),
            "off": _("turn off"),
            "on": _("turn on"),
        },
    }
    result = script_component("sections/fill_mask/head_ranking", "ranking")(
        data=data, key=key, on_toggle_change=on_toggle, on_open_change=lambda: None
    )
    if not result.open:
        return None
    number, row = int(result.open["list"]), int(result.open["row"])
    rows = rankings[number].rows if number < len(rankings) else ()
    return rows[row] if row < len(rows) else None


def toggled_head(key: str) -> tuple[int, int]:
    """The head just turned off or on; call it in `on_toggle`."""
    said = st.session_state[key].toggle
    return int(said["layer"]), int(said["head"])


def _name(row: Ranked) -> str:
    return _("Layer {layer}, head {head}").format(layer=row.layer, head=row.head)
