"""Every head ablated by itself, where the reader asks for it."""

from __future__ import annotations

import streamlit as st

from app.ask import ask
from app.i18n import _
from app.parts.card_heading import card_heading
from app.parts.fields import toggle_field
from app.parts.notices import notices
from app.sections.fill_mask.ablation_map import draw_ablation_map
from app.sections.fill_mask.reading import MaskedReading, wait_line

MAP = "ablation_map"


def draw_ablations(reading: MaskedReading) -> None:
    """Draw the switch, and once it is on, the map of all heads for the chosen word."""
    with st.container(horizontal=True, vertical_alignment="center", key="ablations-head"):
        card_heading(
            _("Each head by itself"),
            _("the change of one word’s log-probability when this head alone is off"),
        )
        asked = toggle_field("ablated", _("Ablate every head"))
    if not asked:
        return
    with st.container(key="ablations-map"), notices():
        # Before the map: a container in which nothing stands yet keeps no room.
        st.caption(
            _(
                "Heads are removed one at a time, and those that stay can make up for the missing"
                " one: a change near 0 does not mean that a head does nothing, and changes do not"
                " add up. Click a cell to turn its head off or on."
            )
        )
        found = ask(reading.ablations(), wait_line("ablations"))
        hidden = _("{word} (hidden)")
        named = [
            (hidden.format(word=word) if one.original else word, one)
            for one in found.pieces
            for word in (reading.readable(one.token),)
        ]
        chosen = reading.chosen.predictions[reading.choices[reading.mask]].token
        tokens = [one.token for one in found.pieces]
        at = tokens.index(chosen) if chosen in tokens else 0
        draw_ablation_map(named, at, reading.off, key=MAP)
