"""Heads in order of a share of their attention, to be opened or turned off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from app.i18n import _
from app.parts.head_switches import switch_heads
from app.parts.said import answered, read_number, said
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
) -> Ranked | None:
    """Draw lists of heads side by side, each with a switch that sets the setting `off`.

    Args:
        rankings: the lists.
        title, hint: what they are.
        key: identity of this card on its page.

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
        "answered": answered(key, "off"),
        "strings": {
            "title": title,
            "hint": hint,
            "open": _("look at it"),
            "off": _("turn off"),
            "on": _("turn on"),
        },
    }
    script_component("sections/fill_mask/head_ranking", "ranking")(
        data=data,
        key=key,
        on_off_change=lambda: switch_heads(key),
        on_open_change=lambda: None,
    )
    for message in said(key, "open"):
        number, row = read_number(message.get("list")), read_number(message.get("row"))
        if number is not None and number < len(rankings) and row is not None:
            rows = rankings[number].rows
            return rows[row] if row < len(rows) else None
    return None


def _name(row: Ranked) -> str:
    return _("Layer {layer}, head {head}").format(layer=row.layer, head=row.head)
