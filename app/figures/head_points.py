"""Heads as points: how far each looks, how broadly, and how much of it rests on the first token.

A script draws it, and sets the parameter `chosen` to `LAYER-HEAD`: that head has a ring. Its
selection `brush` has the ends of a rectangle by the fields `distance` and `entropy`. Rows are
`{"name", "layer", "head", "distance", "entropy", "first"}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import altair as alt
import numpy as np
from numpy.typing import ArrayLike

from app.figures.parameters import in_views
from app.figures.theme import FigureTheme

# Around the axes, in pixels: fixed, so that nothing moves with the length of a number.
PADDING: Final = {"left": 50, "right": 14, "top": 52, "bottom": 42}
POINT: Final = 60.0  # square pixels
LEGEND: Final = 130.0  # pixels of the bar of colours


@dataclass(frozen=True)
class HeadWords:
    """What stands at the axes and above the colours, in the reader's language, with units."""

    distance: str
    entropy: str
    first: str


def head_points(
    distance: ArrayLike,
    entropy: ArrayLike,
    first: ArrayLike,
    words: HeadWords,
    theme: FigureTheme,
) -> alt.LayerChart:
    """A point a head.

    Args:
        distance, entropy: where it stands, ``[layer, head]``.
        first: share of the weight on the first token, its colour, ``[layer, head]``.
        words: of axes and colours.
        theme: of the screen.

    Raises:
        ValueError: the three have not one shape.
    """
    measures = [np.asarray(one, np.float64) for one in (distance, entropy, first)]
    shape = measures[0].shape
    if any(one.shape != shape for one in measures) or len(shape) != 2:
        raise ValueError(f"three measures of a head, not {[one.shape for one in measures]}")
    rows = [
        {
            "name": f"{layer}-{head}",
            "layer": layer,
            "head": head,
            "distance": float(measures[0][layer, head]),
            "entropy": float(measures[1][layer, head]),
            "first": float(measures[2][layer, head]),
        }
        for layer, head in np.ndindex(shape)
    ]
    palette = theme.palette
    brush = alt.selection_interval(
        name="brush",
        mark=alt.BrushConfig(fill=palette.accent, fillOpacity=0.12, stroke=palette.accent),
    )
    from_zero = alt.Scale(zero=True, nice=True)
    base = alt.Chart().encode(
        x=alt.X("distance:Q", title=words.distance, scale=from_zero, axis=alt.Axis(tickCount=5)),
        y=alt.Y("entropy:Q", title=words.entropy, scale=from_zero, axis=alt.Axis(tickCount=6)),
    )
    points = base.mark_circle(size=theme.pixels(POINT), stroke=palette.muted, strokeWidth=1).encode(
        color=alt.Color(
            "first:Q",
            scale=alt.Scale(
                domain=[0, 1], range=[palette.accent_ground, palette.accent, palette.text]
            ),
            legend=alt.Legend(
                title=words.first,
                titleLimit=0,
                orient="top",
                direction="horizontal",
                gradientLength=theme.pixels(LEGEND),
                gradientThickness=theme.pixels(8),
                format="%",
                values=[0, 0.5, 1],
                offset=theme.pixels(4),
            ),
        ),
        opacity=alt.when(brush).then(alt.value(0.9)).otherwise(alt.value(0.2)),
    )
    ring = base.mark_point(
        size=theme.pixels(4 * POINT), stroke=palette.signal, strokeWidth=theme.pixels(2.5)
    ).transform_filter("datum.name === chosen")
    chart = alt.LayerChart(
        layer=[points, ring],
        data=alt.Data(values=rows),
        autosize="none",
        padding={side: theme.pixels(pixels) for side, pixels in PADDING.items()},
        config=theme.vega(),
    )
    chart.params = [
        in_views(brush, chart.layer[0]),
        alt.VariableParameter(name="chosen", value=""),
    ]
    return chart
