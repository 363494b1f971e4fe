"""All heads of a model as small maps, each a switch that turns the head off."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.i18n import _
from app.parts.said import answered, read_numbers, said
from app.parts.scripts import script_component
from app.state import choose, current_settings, forget, heads_of, is_allowed, write_heads
from app.wire import pack

SIDE: Final = 24  # most rows and columns of a small map
LARGEST_BYTE: Final = 255
LARGEST_HEAD: Final = 999
MOST_SWITCHED: Final = 2_500  # heads turned at once


def head_switches(
    patterns: NDArray[np.floating[Any]],
    off: Sequence[tuple[int, int]],
    *,
    key: str,
) -> None:
    """Draw the switches, which set the setting `off`.

    Args:
        patterns: attention weights ``[layer, head, query, key]``.
        off: layer and head of those that are off.
        key: identity of this card on its page.
    """
    maps = small_maps(patterns)
    data = {
        "maps": maps,
        "identity": hashlib.sha256(maps.tobytes()).hexdigest()[:16],
        "off": [f"{layer}-{head}" for layer, head in off],
        "answered": answered(key, "off"),
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
        data=pack(data), key=key, on_off_change=lambda: switch_heads(key)
    )


def switch_heads(key: str) -> None:
    """Turn heads off or on as the reader has just said: ``off``, with `heads` and whether `off`.

    What makes no sense, or more than a link holds, is passed over. Call it in a listener.
    """
    off = set(heads_of(current_settings().off))
    for message in said(key, "off"):
        pairs = message.get("heads")
        if not isinstance(pairs, list | tuple) or len(pairs) > MOST_SWITCHED:
            continue
        read = [read_numbers(pair, 2, LARGEST_HEAD) for pair in pairs]
        heads = {(pair[0], pair[1]) for pair in read if pair is not None and len(pair) == 2}
        off = off | heads if message.get("off") is True else off - heads
    if not off:
        forget("off")
    elif is_allowed("off", written := write_heads(sorted(off))):
        choose("off", written)


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
