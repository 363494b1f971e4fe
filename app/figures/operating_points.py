"""Scores of tokens, their ROC curve and their precision-recall curve, with a threshold on each.

The rows come later: a script puts them in, and moves the threshold.

- `tokens`: `{"at", "piece", "score", "kind"}`; `at` is its number, a colon and the piece, `kind`
  one of the two names.
- `points`: `{"at", "said", "recall", "rate", "precision"}`; `at` is their number, `said` the
  threshold in words; no precision where nothing is called.
- `steps`: the points with a precision, and before them its first one at no recall.
- `chosen`: the point of the threshold that is set, and `threshold` itself.
- `share`: `{"share"}` of positives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import altair as alt

from app.figures.theme import FigureTheme

# Around the axes, in pixels: fixed, so that nothing moves with the length of a number.
LEFT: Final = 50
RIGHT: Final = 12
TOP: Final = 26
BOTTOM: Final = 42
TOKENS_BOTTOM: Final = 84  # tokens are written upwards

FAINT: Final = "22"  # of opacity, at the end of a colour

_PIECE: Final = "slice(datum.value, indexof(datum.value, ':') + 1)"


@dataclass(frozen=True)
class PointWords:
    """What stands at axes and in tooltips, in the reader's language, with units."""

    token: str
    score: str
    truth: str
    positive: str  # the kind that is looked for
    negative: str
    threshold: str
    recall: str
    rate: str
    precision: str


def score_figures(words: PointWords, theme: FigureTheme) -> dict[str, alt.LayerChart]:
    """The three charts by their names: `tokens`, `roc`, `precision`.

    Args:
        words: of axes, legend and tooltips.
        theme: of the screen.
    """
    return {
        "tokens": _tokens(words, theme),
        "roc": _roc(words, theme),
        "precision": _precision(words, theme),
    }


def _tokens(words: PointWords, theme: FigureTheme) -> alt.LayerChart:
    """A bar a token, filled where it is what is looked for, and the threshold across them."""
    kinds = [words.positive, words.negative]
    bars = (
        alt.Chart(alt.NamedData("tokens"), name="bars")
        .mark_bar(strokeWidth=1)
        .encode(
            x=alt.X(
                "at:N",
                sort=None,
                title=words.token,
                scale=alt.Scale(paddingInner=0.25, paddingOuter=0.15),
                axis=alt.Axis(labelAngle=-90, labelExpr=_PIECE, labelLimit=64, ticks=False),
            ),
            y=alt.Y("score:Q", title=words.score, scale=_SHARE, axis=_axis(grid=True)),
            # What is not looked for is an empty bar: not told apart by colour alone.
            fill=_of_kinds(alt.Fill, kinds, [theme.palette.signal, theme.palette.muted + FAINT]),
            stroke=_of_kinds(alt.Stroke, kinds, [theme.palette.signal, theme.palette.muted]),
            tooltip=[
                alt.Tooltip("piece:N", title=words.token),
                alt.Tooltip("score:Q", title=words.score, format=".4f"),
                alt.Tooltip("kind:N", title=words.truth),
            ],
        )
    )
    line = (
        alt.Chart(alt.NamedData("chosen"), name="line")
        .mark_rule(color=theme.palette.accent, strokeWidth=theme.pixels(2))
        .encode(y=alt.Y("threshold:Q", scale=_SHARE))
    )
    return _layered([bars, line], theme, bottom=TOKENS_BOTTOM)


def _roc(words: PointWords, theme: FigureTheme) -> alt.LayerChart:
    """Recall over false-positive rate; dashed what a draw by chance would reach."""
    x = alt.X("rate:Q", title=words.rate, scale=_SHARE, axis=_axis(grid=False))
    y = alt.Y("recall:Q", title=words.recall, scale=_SHARE, axis=_axis(grid=True))
    chance = (
        alt.Chart(alt.Data(values=[{"rate": 0, "recall": 0}, {"rate": 1, "recall": 1}]))
        .mark_line(color=theme.palette.muted, strokeDash=[3, 3], strokeWidth=1)
        .encode(x, y)
    )
    line = (
        alt.Chart(alt.NamedData("points"), name="curve")
        .mark_line(color=theme.palette.accent)
        .encode(x, y, order="at:Q")
    )
    return _layered([chance, line, *_places(x, y, words, theme)], theme)


def _precision(words: PointWords, theme: FigureTheme) -> alt.LayerChart:
    """Precision over recall in steps; dashed what calling everything would reach."""
    x = alt.X("recall:Q", title=words.recall, scale=_SHARE, axis=_axis(grid=False))
    y = alt.Y("precision:Q", title=words.precision, scale=_SHARE, axis=_axis(grid=True))
    everything = (
        alt.Chart(alt.NamedData("share"))
        .mark_rule(color=theme.palette.muted, strokeDash=[3, 3], strokeWidth=1)
        .encode(y=alt.Y("share:Q", scale=_SHARE))
    )
    line = (
        alt.Chart(alt.NamedData("steps"), name="steps")
        .mark_line(color=theme.palette.accent, interpolate="step-before")
        .encode(x, y, order="at:Q")
    )
    return _layered([everything, line, *_places(x, y, words, theme)], theme)


def _places(x: alt.X, y: alt.Y, words: PointWords, theme: FigureTheme) -> list[alt.Chart]:
    """Every operating point, and around it a ring where the threshold has it."""
    tooltip = [
        alt.Tooltip("said:N", title=words.threshold),
        alt.Tooltip("recall:Q", title=words.recall, format=".4f"),
        alt.Tooltip("rate:Q", title=words.rate, format=".4f"),
        alt.Tooltip("precision:Q", title=words.precision, format=".4f"),
    ]
    points = alt.Chart(alt.NamedData("points"), name="points")
    chosen = alt.Chart(alt.NamedData("chosen"), name="ring")
    return [
        points.mark_circle(color=theme.palette.accent, opacity=1, size=theme.pixels(36)).encode(
            x, y, tooltip=tooltip
        ),
        chosen.mark_point(
            color=theme.palette.signal,
            size=theme.pixels(180),
            strokeWidth=theme.pixels(3),
            filled=False,
            opacity=1,
        ).encode(x, y, tooltip=tooltip),
    ]


_SHARE: Final = alt.Scale(domain=[0, 1], nice=False)


def _axis(*, grid: bool) -> alt.Axis:
    return alt.Axis(format=".1f", tickCount=5, grid=grid)


def _of_kinds(channel: Any, kinds: list[str], looks: list[Any]) -> Any:
    legend = alt.Legend(title=None, orient="none", legendX=0, legendY=-24, direction="horizontal")
    return channel("kind:N", scale=alt.Scale(domain=kinds, range=looks), legend=legend)


def _layered(
    layers: list[alt.Chart], theme: FigureTheme, *, bottom: float = BOTTOM
) -> alt.LayerChart:
    sides: Mapping[str, float] = {"left": LEFT, "right": RIGHT, "top": TOP, "bottom": bottom}
    return alt.LayerChart(
        layer=layers,
        autosize="none",
        padding={side: theme.pixels(pixels) for side, pixels in sides.items()},
        config=theme.vega(),
    )
