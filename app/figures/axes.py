"""Axes and legends that several figures of Altair share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import altair as alt

from app.figures.theme import FigureTheme
from app.theme import DASHES

LETTER: Final = 6.6  # pixels of a letter in the legend, as a rule
BESIDE: Final = 36.0  # pixels of a symbol and the gaps around a name
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
EXTENT: Final = 46.0  # pixels left of every panel, so that they stand below each other
# Whether a label of a logarithmic axis stands at a power of ten, as Vega's expression.
POWER_OF_TEN: Final = "abs(log(datum.value) / LN10 - round(log(datum.value) / LN10)) < 1e-6"
# A fixed domain of the axis that zooms makes Vega read a zoom that nobody has set, and complain.
FROM_ZERO: Final = alt.Scale(zero=True, nice=False)


def at_powers() -> alt.ConditionalAxisNumber:
    """Grid lines at powers of ten alone: those between them would be a grey ground."""
    return alt.ConditionalAxisNumber(
        condition=alt.ConditionalPredicateValueDefnumberExprRef(test=POWER_OF_TEN, value=1),
        value=0,
    )


def stacked(panels: Sequence[Any], theme: FigureTheme) -> alt.VConcatChart:
    """Panels below each other, as wide as their place: `width="stretch"` of Streamlit."""
    return alt.vconcat(
        *panels,
        spacing=theme.pixels(10),
        padding={"left": 0, "right": 18, "top": 4, "bottom": 4},
        config=theme.vega(),
        # Streamlit gives panels of layers another one, with which they are wider than the place.
        autosize={"type": "fit-x", "contains": "padding"},
        # What is saved is the picture in the page, however many marks it has.
        usermeta={"embedOptions": {"renderer": "svg"}},
    ).resolve_scale(x="independent", y="independent")


def zoomed(field: str, zoom: alt.Parameter) -> alt.X:
    """A horizontal axis of ticks alone, as far as is chosen on the one that :func:`whole` makes."""
    scale = alt.Scale(domain=zoom, zero=True, nice=False)
    axis = alt.Axis(grid=False, labels=False, tickCount=8, tickMinStep=1)
    return alt.X(f"{field}:Q", title=None, axis=axis, scale=scale)


def whole(field: str, title: str) -> alt.X:
    """The horizontal axis from 0 to the end, below all panels, with numbers."""
    axis = alt.Axis(grid=False, format=",d", tickCount=8, tickMinStep=1)
    return alt.X(f"{field}:Q", title=title, axis=axis, scale=FROM_ZERO)


def above(field: str, title: str, theme: FigureTheme, **more: Any) -> alt.Y:
    """A vertical axis whose title lies above it, where a long one has room.

    Args:
        field, title: what is drawn, and its name with the unit.
        theme: of the screen.
        more: `labels` of the axis as an expression of Vega; `grid`, the opacity of its lines;
            `scale`.
    """
    axis = alt.Axis(
        labelExpr=more.pop("labels", alt.Undefined),
        gridOpacity=more.pop("grid", alt.Undefined),
        tickCount=4,
        minExtent=theme.pixels(EXTENT),
        titleAngle=0,
        titleAlign="left",
        titleBaseline="bottom",
        titleX=0,
        titleY=-4,
        domain=False,
        ticks=False,
    )
    return alt.Y(f"{field}:Q", title=title, axis=axis, **more)


def of_things(
    channel: Any, names: Sequence[str], theme: FigureTheme, field: str, **legend: Any
) -> Any:
    """Colour, dash or shape of compared things: two of them, so that colour is never alone.

    Args:
        channel: `alt.Color`, `alt.StrokeDash` or `alt.Shape`.
        names: of the things in their order; one alone has no legend.
        theme: of the screen.
        field: that holds a thing's name.
        legend: what else is said of it, the same for both.
    """
    looks: dict[Any, Sequence[Any]] = {
        alt.Color: theme.palette.series,
        alt.StrokeDash: [list(dash) for dash in DASHES],
        alt.Shape: SHAPES,
    }
    # Vega would put them all into one line, however long.
    each = theme.pixels(max(map(len, names)) * LETTER + BESIDE)
    columns = alt.ExprRef(f"max(1, floor(width / {each}))")
    told = alt.Legend(title=None, orient="top", columns=columns, symbolOpacity=1, **legend)
    return channel(
        f"{field}:N",
        sort=list(names),
        scale=alt.Scale(domain=list(names), range=list(looks[channel][: len(names)])),
        legend=told if len(names) > 1 else None,
    )


def reached_by_pointer(places: Sequence[float]) -> list[tuple[float, float]]:
    """From where to where the pointer is nearest to each place.

    >>> reached_by_pointer([0, 10, 30])
    [(0, 5.0), (5.0, 20.0), (20.0, 30)]
    """
    between = [(one + other) / 2 for one, other in pairwise(places)]
    return list(zip([places[0], *between], [*between, places[-1]], strict=True))
