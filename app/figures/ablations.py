"""What each head by itself does for a word: a map of layers and heads whose rows come later.

Rows of `cells`: `{"layer", "head", "change", "before", "after", "isOff", "state"}`; the change is
one of the log-probability, the state says in a word whether the head is off. The parameter `limit`
is the change, in nats, at which the colours end on either side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import altair as alt

from app.figures.theme import FigureTheme

# Around the cells, in pixels: fixed, so that nothing moves with the length of a number.
SIDES: Final = {"left": 44, "right": 12, "top": 54, "bottom": 44}
CELL: Final = 26  # height of one, in pixels
CROSS: Final = 160  # area of the mark of a head that is off, in pixels
LIMIT: Final = "limit"


@dataclass(frozen=True)
class AblationWords:
    """What stands at the axes and in the tooltip, in the reader's language."""

    layer: str
    head: str
    change: str
    before: str
    after: str
    state: str


def ablation_map(words: AblationWords, theme: FigureTheme) -> alt.LayerChart:
    """A rectangle a head, coloured by the change without it; those that are off have a cross.

    Args:
        words: of axes, legend and tooltip.
        theme: of the screen.
    """
    x = alt.X(
        "head:O",
        title=words.head,
        axis=alt.Axis(labelAngle=0, domain=False, ticks=False, grid=False),
        scale=alt.Scale(paddingInner=0.06, paddingOuter=0),
    )
    y = alt.Y(
        "layer:O",
        title=words.layer,
        axis=alt.Axis(domain=False, ticks=False, grid=False),
        scale=alt.Scale(paddingInner=0.08, paddingOuter=0),
    )
    colours = theme.diverging
    middle = len(colours) // 2
    ends = [{"expr": f"{(at - middle) / middle} * {LIMIT}"} for at in range(len(colours))]
    colour = alt.Color(
        "change:Q",
        # As colours are mixed on the canvases.
        scale=alt.Scale(domain=ends, range=list(colours), interpolate="rgb"),
        legend=alt.Legend(
            title=words.change,
            titleLimit=0,
            orient="top",
            direction="horizontal",
            gradientLength=alt.ExprRef(f"min(width, {theme.pixels(280)})"),
            gradientThickness=theme.pixels(10),
            gradientStrokeColor=theme.palette.hairline,
            gradientStrokeWidth=1,
            values=alt.ExprRef(f"[-{LIMIT}, 0, {LIMIT}]"),
            labelExpr="datum.value === 0 ? '0' : format(datum.value, '+.3f')",
            offset=theme.pixels(8),
        ),
    )
    tooltip = [
        alt.Tooltip("layer:O", title=words.layer),
        alt.Tooltip("head:O", title=words.head),
        alt.Tooltip("change:Q", title=words.change, format="+.4f"),
        alt.Tooltip("before:Q", title=words.before, format=".4~g"),
        alt.Tooltip("after:Q", title=words.after, format=".4~g"),
        alt.Tooltip("state:N", title=words.state),
    ]
    base = alt.Chart(alt.NamedData("cells")).encode(x=x, y=y, tooltip=tooltip)
    cells = base.mark_rect(
        cursor="pointer", stroke=theme.palette.hairline, strokeWidth=1, cornerRadius=2
    ).encode(color=colour)
    off = base.transform_filter("datum.isOff")
    crosses = [
        off.mark_point(
            shape="cross",
            angle=45,
            filled=True,
            opacity=1,
            color=ground,
            size=theme.pixels(size),
            cursor="pointer",
        )
        # Dark on pale cells and pale on dark ones: seen on every colour.
        for ground, size in ((theme.palette.card, 2 * CROSS), (theme.palette.text, CROSS))
    ]
    return alt.LayerChart(
        layer=[cells, *crosses],
        params=[alt.VariableParameter(name=LIMIT, value=1)],
        autosize="none",
        padding={side: theme.pixels(pixels) for side, pixels in SIDES.items()},
        config=theme.vega(),
    )


def height_of(layers: int, theme: FigureTheme) -> float:
    """How high the map of a model is, axes and legend included, in pixels."""
    return theme.pixels(SIDES["top"] + layers * CELL + SIDES["bottom"])
