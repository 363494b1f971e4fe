"""Two attention maps on common rows and columns, and their difference, in the browser.

The browser gets float32 weights of both sides ``[layer, head, row, column]``, so that every number
that is shown is exact, and bytes ``[row, column]`` for what may not be seen. Of long texts one head
of each side comes at a time.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.i18n import _
from app.parts.choices import Choice
from app.parts.said import read_numbers, said
from app.parts.scripts import script_component
from app.wire import pack
from core.tasks.compare_attention import PairedMaps, SharedAxis

FLOAT_BYTES: Final = 4
# More would keep a reader waiting for maps that may never be looked at.
MOST_BYTES_AT_ONCE: Final = 12_000_000

Heads = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True)
class ComparedSide:
    """What one side is.

    Args:
        title: as the reader sees it.
        layers, heads: how many its model has.
    """

    title: str
    layers: int
    heads: int


def fits_at_once(*shapes: tuple[int, ...]) -> bool:
    """Whether all maps of these shapes go into one message, or one pair after the other."""
    return sum(map(math.prod, shapes)) * FLOAT_BYTES <= MOST_BYTES_AT_ONCE


def compared_maps(
    maps: PairedMaps,
    left: ComparedSide,
    right: ComparedSide,
    *,
    only: Heads | None,
    choice: Choice,
    follows: bool,
    key: str,
    on_pair: Callable[[], None],
) -> None:
    """Draw the three maps.

    Args:
        maps: of all heads of either side, or of one.
        left, right: what the sides are.
        only: layer and head of the one map that came of each side; None where all did.
        choice: what the last scene says, with a number of its own.
        follows: whether the server is told of every pair that is chosen, to draw what follows it.
        key: identity of this picture on its page.
        on_pair: called when the reader wants a pair that has not come, or is told of;
            `wanted_pair(key)` then says which.
    """
    script_component("sections/compare/compared_maps", "compared")(
        data=encode_maps(maps, left, right, only=only, choice=choice, follows=follows),
        key=key,
        on_pair_change=on_pair,
    )


def wanted_pair(key: str) -> Heads | None:
    """Layer and head on the left, and on the right; None if that makes no sense.

    Call it in `on_pair`.
    """
    for message in said(key, "pair")[-1:]:
        match read_numbers(message.get("pair"), 4):
            case (layer, head, other_layer, other_head):
                return (layer, head), (other_layer, other_head)
    return None


def encode_maps(
    maps: PairedMaps,
    left: ComparedSide,
    right: ComparedSide,
    *,
    only: Heads | None,
    choice: Choice,
    follows: bool = False,
) -> bytes:
    """The message described at the top of this module; takes what :func:`compared_maps` takes."""
    digest = hashlib.blake2b(digest_size=12)

    def side(
        one: ComparedSide,
        weights: NDArray[np.float32],
        masked: NDArray[np.bool_],
        head: tuple[int, int] | None,
    ) -> dict[str, Any]:
        whole = np.ascontiguousarray(weights, dtype=np.float32)
        digest.update(repr((one, weights.shape)).encode())
        if only is None:
            digest.update(whole.data.cast("B"))
        return {
            "title": one.title,
            "layers": one.layers,
            "heads": one.heads,
            "weights": whole,
            "masked": masked if masked.any() else None,
            "only": head,
        }

    heads = only or (None, None)
    axes = {"rows": _axis(maps.rows), "columns": _axis(maps.columns)}
    digest.update(repr(axes).encode(errors="replace"))
    data = {
        "left": side(left, maps.left, maps.left_masked, heads[0]),
        "right": side(right, maps.right, maps.right_masked, heads[1]),
        **axes,
        "choice": choice,
        "follows": follows,
        "strings": compared_strings(),
    }
    # Of one pair at a time the pair is not part of it: what is compared stays the same.
    return pack({**data, "identity": digest.hexdigest()})


def _axis(axis: SharedAxis) -> dict[str, list[Any]]:
    return {
        "left": list(axis.left_labels),
        "right": list(axis.right_labels),
        "special": list(axis.special),
        "replaced": list(axis.replaced),
    }


def compared_strings() -> dict[str, str]:
    """Every string the picture shows or speaks, in the reader's language."""
    return {
        "layer": _("layer"),
        "headName": _("head"),
        "head": _("Layer {layer}, head {head}"),
        "headApart": _("{head}: {apart} apart"),
        "headsLeft": _("Heads on the left; the darker, the further from the other side"),
        "headsRight": _("Heads on the right; the darker, the further from the other side"),
        "sameHead": _("same head"),
        "furthest": _("Furthest apart"),
        "difference": _("Difference"),
        "rightMinusLeft": _(" · right − left"),
        "enlarge": _("own scale"),
        "scale": _("Colour scale"),
        "scale-head": _("largest weight"),
        "scale-absolute": _("0 to 1"),
        "diverging": _("Orange: more on the left. Blue: more on the right."),
        "keys": _("orange: more on the left · blue: more on the right · arrows, Esc"),
        "cell": _("“{query}” to “{key}”"),
        "largest": _("Largest difference: {cell}"),
        "apart": _("{apart} of a row’s attention lies elsewhere."),
        "map": _("Map: {title}."),
    }
