"""Probabilities of a whole vocabulary by rank, on logarithmic axes; their rows come later.

Rows of `curves`: `{"rank", "value", "name", "alone"}`, alone where no line leads to it; of
`limits`: `{"at", "text", "row", "late"}`, the text in the row 0 or 1 from the bottom and left of a
late one; of `drawn`: `{"rank", "value", "times"}`; of `ranks`, which the pointer meets: `{"from",
"to", "piece", "rank", "model", "sampling", "modelSum", "samplingSum", "times"}`. The parameters
`last` and `lowest` are the far ends of the axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import altair as alt

from app.figures.axes import POWER_OF_TEN, at_powers
from app.figures.parameters import in_views, toggled
from app.figures.theme import FigureTheme
from app.theme import DASHES

# Around the axes, in pixels: fixed, so that nothing moves with the length of a number.
SIDES: Final = {"left": 64, "right": 14, "top": 34, "bottom": 44}
# Near ends of the axes: what lies at rank 1 and at probability 1 is drawn whole.
FIRST: Final = 0.9
MOST: Final = 2.0
ROW: Final = 16  # between the names of the two limits, in pixels
DRAWN: Final = 26  # area of the circle of a piece that was drawn once, in pixels


@dataclass(frozen=True)
class RankProbabilityWords:
    """What stands at the axes, in the legend and in the tooltip, in the reader's language."""

    rank: str
    probability: str
    piece: str
    model: str
    sampling: str
    model_sum: str
    sampling_sum: str
    times: str


def rank_probabilities(words: RankProbabilityWords, theme: FigureTheme) -> alt.LayerChart:
    """What the model says and what sampling makes of it, with the limits and the draws.

    Args:
        words: of axes, legend and tooltip.
        theme: of the screen.
    """
    palette = theme.palette
    along = alt.Scale(type="log", domain=[FIRST, {"expr": "last"}], nice=False)
    up = alt.Scale(type="log", domain=[{"expr": "lowest"}, MOST], nice=False)
    x = alt.X(
        "rank:Q",
        scale=along,
        title=words.rank,
        axis=alt.Axis(grid=False, labelExpr=f"{POWER_OF_TEN} ? format(datum.value, ',d') : ''"),
    )
    written = "datum.value < 0.001 ? format(datum.value, '~e') : format(datum.value, '~g')"
    y = alt.Y(
        "value:Q",
        scale=up,
        title=words.probability,
        axis=alt.Axis(
            gridOpacity=at_powers(),
            labelExpr=f"{POWER_OF_TEN} ? {written} : ''",
            tickCount=alt.ExprRef("height / 24"),
            domain=False,
            ticks=False,
            minExtent=theme.pixels(34),
            maxExtent=theme.pixels(34),
        ),
    )
    names = [words.model, words.sampling]
    toggle = toggled("name")
    legend = alt.Legend(title=None, orient="top", direction="horizontal", symbolType="stroke")
    colours = alt.Scale(domain=names, range=[palette.muted, palette.signal])
    dashes = alt.Scale(domain=names, range=[list(one) for one in (DASHES[1], DASHES[0])])
    both = alt.Chart(alt.NamedData("curves")).encode(
        x=x,
        y=y,
        color=alt.Color("name:N", scale=colours, legend=legend),
        opacity=alt.when(toggle).then(alt.value(1)).otherwise(alt.value(0.1)),
    )
    curves = (
        both.mark_line(clip=True)
        .properties(name="curves")
        .encode(strokeDash=alt.StrokeDash("name:N", scale=dashes, legend=legend))
    )
    points = both.mark_circle(clip=True).encode(
        size=alt.when("datum.alone")
        .then(alt.value(theme.pixels(60)))
        .otherwise(alt.value(theme.pixels(9)))
    )
    limits = alt.Chart(alt.NamedData("limits"))
    at = alt.X("at:Q", scale=along)
    rules = limits.mark_rule(color=palette.accent, strokeDash=[5, 3], clip=True).encode(x=at)
    names_of_limits = [
        limits.transform_filter("datum.late" if late else "!datum.late")
        .mark_text(
            align="right" if late else "left",
            baseline="bottom",
            dx=-5 if late else 5,
            color=palette.accent,
            fontSize=theme.pixels(12),
        )
        .encode(
            x=at,
            y=alt.Y("row:Q", scale=None, axis=None),
            text="text:N",
        )
        .transform_calculate(row=f"height - 4 - {theme.pixels(ROW)} * datum.row")
        for late in (False, True)
    ]
    drawn = (
        alt.Chart(alt.NamedData("drawn"), name="drawn")
        .mark_circle(color=palette.accent, opacity=0.55, clip=True)
        .encode(
            x=x,
            y=y,
            size=alt.Size(
                "times:Q",
                scale=alt.Scale(domain=[0, 100], range=[0, theme.pixels(100 * DRAWN)]),
                legend=None,
            ),
        )
    )
    hover = alt.selection_point(
        name="hover", fields=["rank"], on="pointerover", clear="pointerout", empty=False
    )
    ranks = (
        alt.Chart(alt.NamedData("ranks"), name="ranks")
        .mark_rect(color=palette.muted, clip=True)
        .encode(
            x=alt.X("from:Q", scale=along),
            x2="to",
            opacity=alt.when(hover).then(alt.value(0.15)).otherwise(alt.value(0)),
            tooltip=[
                alt.Tooltip("piece:N", title=words.piece),
                alt.Tooltip("rank:Q", title=words.rank, format=",d"),
                alt.Tooltip("model:Q", title=words.model, format=".5~g"),
                alt.Tooltip("modelSum:Q", title=words.model_sum, format=".6~f"),
                alt.Tooltip("sampling:Q", title=words.sampling, format=".5~g"),
                alt.Tooltip("samplingSum:Q", title=words.sampling_sum, format=".6~f"),
                alt.Tooltip("times:Q", title=words.times),
            ],
        )
    )
    chart = alt.LayerChart(
        layer=[curves, points, rules, *names_of_limits, drawn, ranks],
        autosize="none",
        padding={side: theme.pixels(pixels) for side, pixels in SIDES.items()},
        config=theme.vega(),
    )
    chart.params = [
        alt.VariableParameter(name="last", value=1_000),
        alt.VariableParameter(name="lowest", value=1e-6),
        in_views(toggle, chart.layer[0]),
        in_views(hover, chart.layer[-1]),
    ]
    return chart
