"""What the chosen word of a mask loses or gains without each head, and heads turned off there."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.figures.ablations import AblationWords, ablation_map, height_of
from app.figures.theme import FigureTheme
from app.i18n import _, current_language
from app.parts.figure import figure_theme, value_strings
from app.parts.head_switches import switch_heads
from app.parts.said import answered
from app.parts.scripts import script_component, vega_address
from app.wire import pack
from core.tasks import AblatedPiece


def draw_ablation_map(
    pieces: list[tuple[str, AblatedPiece]],
    chosen: int,
    off: tuple[tuple[int, int], ...],
    *,
    key: str,
) -> None:
    """Draw the map of one word, with a choice among the others; a cell sets the setting `off`.

    Args:
        pieces: each with its readable name.
        chosen: number of the one that the reader has chosen elsewhere.
        off: layer and head of those that are off.
        key: identity of this map on its page.
    """
    theme = figure_theme()
    layers = pieces[0][1].after.shape[0]
    data = {
        "names": [name for name, _piece in pieces],
        "before": [piece.before for _name, piece in pieces],
        "after": _side_by_side([piece for _name, piece in pieces]),
        "chosen": chosen,
        "off": [f"{layer}-{head}" for layer, head in off],
        "answered": answered(key, "off"),
        "vega": vega_address(),
        "specs": _specs(current_language(), theme.presented),
        "height": height_of(layers, theme),
        "strings": {**_strings(), **value_strings(_("Every head ablated by itself"))},
    }
    script_component(
        "sections/fill_mask/ablation_map",
        "ablation-map",
        sheets=("css/figure_values", "css/vega_chart", "sections/fill_mask/ablation_map"),
    )(data=pack(data), key=key, on_off_change=lambda: switch_heads(key))


def _side_by_side(pieces: list[AblatedPiece]) -> NDArray[np.float32]:
    """``[piece, layer, head]``."""
    return np.stack([piece.after for piece in pieces])


def _words() -> AblationWords:
    return AblationWords(
        layer=_("layer"),
        head=_("head"),
        change=_("change of log-probability (nats)"),
        before=_("p with every head"),
        after=_("p without it"),
        state=_("switch"),
    )


def _strings() -> dict[str, Any]:
    return {
        "columns": asdict(_words()),
        "word": _("Word whose probability is followed"),
        "off": _("off"),
        "on": _("on"),
        "label": _(
            "Without one head at a time, the log-probability of {word} changes by {least} nats"
            " (layer {leastLayer}, head {leastHead}) to {most} nats (layer {mostLayer}, head"
            " {mostHead})"
        ),
        "limit": _("Colours end at ±{limit} nats, the largest change of this word."),
    }


@cache
def _specs(_language: str, presented: bool) -> dict[str, Any]:
    """The chart for each scheme of colours."""
    return {
        scheme: ablation_map(_words(), FigureTheme(scheme == "dark", presented)).to_dict()
        for scheme in ("light", "dark")
    }
