"""All heads of a model as small maps, each a switch that turns the head off."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from app.i18n import _
from app.parts.scripts import script_component
from app.wire import pack

SIDE: Final = 24  # most rows and columns of a small map
LARGEST_BYTE: Final = 255


def head_switches(
    patterns: NDArray[np.floating[Any]],
    off: Sequence[tuple[int, int]],
    *,
    key: str,
    on_switch: Callable[[], None],
) -> None:
    """Draw the switches.

    Args:
        patterns: attention weights ``[layer, head, query, key]``.
        off: layer and head of those that are off.
        key: identity of this card on its page.
        on_switch: called when the reader turns heads off or on; `heads_off(key)` then says which
            are off.
    """
    maps = small_maps(patterns)
    data = {
        "maps": maps,
        "identity": hashlib.sha256(maps.tobytes()).hexdigest()[:16],
        "off": [f"{layer}-{head}" for layer, head in off],
        "answered": st.session_state.get(f"{key}-stamp", 0),
        "strings": {
            "title": _("Turn heads off"),
            "hint": _("and watch the prediction move"),
            "allOn": _("all on"),
            "keys": _("arrows, Space; a number at the left: its layer"),
            "grid": _("Heads, layers down: choose one to turn it off or on"),
            "head": _("Layer {layer}, head {head}"),
            "layer": _("The whole layer {layer} off or on"),
        },
    }
    script_component("js/parts/head_switches", "switches")(
        data=pack(data), key=key, on_off_change=on_switch
    )


def heads_off(key: str) -> tuple[tuple[int, int], ...]:
    """Layer and head of those that are off now; call it in `on_switch`."""
    said = st.session_state[key].off
    st.session_state[f"{key}-stamp"] = said["stamp"]
    pairs = (name.split("-") for name in said["heads"])
    return tuple(sorted((int(layer), int(head)) for layer, head in pairs))


def small_maps(patterns: NDArray[np.floating[Any]]) -> NDArray[np.uint8]:
    """Maps of at most `SIDE` rows and columns; a cell holds the largest weight of its block.

    255 is the largest weight of the head, so that heads which spread their weights are seen too.
    """
    queries, keys = patterns.shape[-2:]
    rows = np.arange(0, queries, -(-queries // SIDE))
    columns = np.arange(0, keys, -(-keys // SIDE))
    pooled = np.maximum.reduceat(patterns, rows, axis=-2)
    pooled = np.maximum.reduceat(pooled, columns, axis=-1)
    largest = pooled.max(axis=(-2, -1), keepdims=True)
    return np.rint(pooled * (LARGEST_BYTE / largest)).astype(np.uint8)
