"""A card of one model: its tokens, its guesses for a hidden word, where it looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.i18n import N_, _
from app.parts.choices import Choice
from app.parts.said import read_number, said
from app.parts.scripts import script_component
from app.settings import Settings
from app.wire import pack

MOST_CELLS: Final = 96  # the map is drawn 132 pixels wide
# Hundredths of the way from the first layer to the last; models differ in how many they have.
STOPS: Final = {
    0: N_("first layer"),
    33: N_("one third"),
    67: N_("two thirds"),
    100: N_("last layer"),
}


@dataclass(frozen=True)
class Token:
    """One token as it is drawn."""

    piece: str
    special: bool = False
    hidden: bool = False


@dataclass(frozen=True)
class GuessedPiece:
    """One candidate; `said` is its share in words, `same` whether it is what stood there."""

    piece: str
    share: float
    said: str
    same: bool = False


@dataclass(frozen=True)
class HiddenPiece:
    """One hidden token: what stood there, the likeliest pieces, and a line about the truth."""

    piece: str
    guesses: Sequence[GuessedPiece]
    truth: str


@dataclass(frozen=True, eq=False)
class SmallMap:
    """Attention of a few layers, mean over the heads.

    Args:
        layers: number of each layer and its weights ``[row, column]``, at most ``MOST_CELLS`` wide.
        depth: layers that the model has.
        heads: of each.
        labels: of the rows and columns.
        rows: that are outlined.
        masked: boolean ``[row, column]``, True for a cell that may not be seen; None for none.
    """

    layers: Sequence[tuple[int, NDArray[np.float32]]]
    depth: int
    heads: int
    labels: Sequence[str]
    rows: Sequence[int]
    masked: NDArray[np.bool_] | None = None


def small_map(
    patterns: NDArray[np.float32],
    labels: Sequence[str],
    rows: Sequence[int],
    masked: NDArray[np.bool_] | None = None,
    *,
    layers: Sequence[int] | None = None,
) -> SmallMap:
    """Reduce attention ``[layer, head, query, key]`` to what a small map can show.

    Cells of a long text are joined to blocks, each as strong as its strongest cell.

    Args:
        patterns: of all layers.
        labels: of the tokens.
        rows: tokens whose rows are outlined.
        masked: as in `SmallMap`.
        layers: which ones to keep; None for those at the `STOPS`.
    """
    depth, heads, tokens, _keys = patterns.shape
    if layers is None:
        layers = sorted({round(stop / 100 * (depth - 1)) for stop in STOPS})
    size = min(tokens, MOST_CELLS)
    # The first token of each block.
    starts = np.arange(size) * tokens // size
    means = [patterns[layer].mean(axis=0) for layer in layers]
    return SmallMap(
        [
            (layer, _blocks(one, starts, np.maximum))
            for layer, one in zip(layers, means, strict=True)
        ],
        depth,
        heads,
        [labels[start] for start in starts],
        sorted({int(np.searchsorted(starts, row, side="right")) - 1 for row in rows}),
        None if masked is None or not masked.any() else _blocks(masked, starts, np.logical_and),
    )


def _blocks(cells: NDArray[Any], starts: NDArray[np.intp], join: np.ufunc) -> NDArray[Any]:
    rows = join.reduceat(cells, starts, axis=0)
    return np.asarray(join.reduceat(rows, starts, axis=1))


def family_card(
    title: str,
    tokens: Sequence[Token],
    hidden: Sequence[HiddenPiece],
    attention: SmallMap,
    *,
    facts: str,
    key: str,
    streams: bool = False,
) -> int | None:
    """Draw the card.

    Args:
        title: what the model is called.
        tokens: all that ran, in their order.
        hidden: at least one place.
        attention: the map.
        facts: about what ran, in few words.
        key: identity of this card on its page.
        streams: whether the rows of the hidden tokens are those of a stream of their own.

    Returns:
        The layer whose map the reader has just clicked, to see it with all heads; else None.
    """
    data = encode_card(title, tokens, hidden, attention, facts, streams=streams)
    script_component("sections/family/family_card", "family-card")(
        data=data, key=key, on_open_change=lambda: None
    )
    for message in said(key, "open"):
        return read_number(message.get("layer"), attention.depth - 1)
    return None


def encode_card(
    title: str,
    tokens: Sequence[Token],
    hidden: Sequence[HiddenPiece],
    attention: SmallMap,
    facts: str,
    *,
    streams: bool = False,
) -> bytes:
    """The message for the script; takes what :func:`family_card` takes."""
    return pack(
        {
            "title": title,
            "tokens": list(tokens),
            "hidden": list(hidden),
            "map": attention,
            "facts": facts,
            "strings": {
                "tokens": _("Tokens that ran"),
                "open": _("Layer {layer} of {model} with all heads"),
                "rest": _("layer {layer} of {depth}; amber row: query stream")
                if streams
                else _("layer {layer} of {depth}, mean of {heads} heads"),
                "cell": _("“{query}” to “{key}” {weight}"),
            },
        }
    )


def family_depth(choice: Choice, *, key: str) -> None:
    """Draw the choice of the layer that all small maps show; nothing reruns.

    Args:
        choice: what the last scene says, with a number of its own.
        key: identity of this control on its page.
    """
    data = {
        "fallback": Settings.depth,
        "stops": [[stop, _(said)] for stop, said in STOPS.items()],
        "choice": None if choice is None else [choice[0], str(choice[1].get("depth", ""))],
        "strings": {"label": _("Small maps")},
    }
    script_component("sections/family/family_depth", "family-depth")(data=data, key=key)
