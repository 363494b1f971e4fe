"""Training runs side by side while they train: six panels over one axis of steps.

The rows come later: a script appends them as they come, and none is drawn twice. Each panel has
data of its name, rows `{"step", "value", "run"}`, the run its number, and:

- `loss`, `rate`: what was measured at every step;
- `held_out`, in the panel of the loss: on the held-out pairs;
- `expected`, in the panel of the variance: what noise alone would give, without a run;
- `gradients`, `entropy`: `{"step", "value", "line", "shade", "dashed"}`, the shade from 0 to 1 by
  the layer, below 0 where it is none;
- `at`: `{"step"}`, the step looked at.

Parameters: `first` and `last`, the steps that are seen; `hidden`, the numbers of runs that are not
drawn; and the ends of each panel's values, `loss_low`, `loss_high` and so on. Below stands the
whole axis, to the parameter `whole`; its selection `zoom` is what the reader drags over it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import altair as alt

from app.figures.axes import POWER_OF_TEN, above
from app.figures.parameters import in_views
from app.figures.theme import FigureTheme
from app.theme import DASHES

PANELS: Final = ("loss", "accuracy", "rate", "gradients", "variance", "entropy")
LOGARITHMIC: Final = frozenset({"gradients"})

# In pixels, all fixed: nothing moves with the length of a number.
LEFT: Final = 46
RIGHT: Final = 14
TOP: Final = 26
BOTTOM: Final = 40
BETWEEN_COLUMNS: Final = 62
BETWEEN_ROWS: Final = 70

# Layers differ in lightness.
LAYERS: Final = {
    False: ("#440154", "#3b528b", "#21918c", "#4f9a35"),
    True: ("#b79cff", "#7aa2f7", "#35c4b5", "#e8e337"),
}

_SMALL: Final = "datum.value === 0 ? '0' : abs(datum.value) < 0.001 ? format(datum.value, '~e')"
_NUMBER: Final = f"{_SMALL} : format(datum.value, '~g')"


def _few(name: str) -> str:
    """Numbers at powers of ten alone, unless there is hardly one on the axis."""
    return f"{POWER_OF_TEN} || {name}_high < 30 * {name}_low ? ({_NUMBER}) : ''"


@dataclass(frozen=True)
class LiveWords:
    """Titles of the axes in the reader's language, with units."""

    step: str
    whole: str  # of the axis that zooms
    panels: Mapping[str, str]  # of the values, by the name of the panel


def live_runs(words: LiveWords, theme: FigureTheme) -> alt.ConcatChart:
    """The panels in one view.

    Who draws it sets `columns`, and `width` and `height` of every panel.

    Args:
        words: of the axes.
        theme: of the screen.
    """
    chart = alt.concat(
        *(_panel(name, words, theme) for name in PANELS),
        columns=3,
        spacing={"row": theme.pixels(BETWEEN_ROWS), "column": theme.pixels(BETWEEN_COLUMNS)},
        bounds="flush",  # each where its size puts it, whatever is written at its axes
        autosize="none",
        padding=_around(theme),
        config=theme.vega(),
    ).resolve_scale(x="independent", color="independent", strokeDash="independent")
    ends = {f"{name}_{end}": value for name in PANELS for end, value in _ENDS.items()}
    chart.params = _parameters({"first": 0, "last": 1, "hidden": [], **ends})
    return chart


def whole_axis(words: LiveWords, theme: FigureTheme) -> alt.LayerChart:
    """The whole axis with the part that is seen, over which a drag zooms all panels."""
    along = _between("0", "whole")
    zoom = alt.selection_interval(
        name="zoom",
        encodings=["x"],
        zoom=False,
        # What is seen is drawn by itself: keys zoom, too.
        mark=alt.BrushConfig(fillOpacity=0, strokeOpacity=0),
    )
    axis = alt.Axis(grid=False, format=",d", tickCount=8, tickMinStep=1)
    one = alt.Data(values=[{"step": 0}])
    ground = (
        alt.Chart(one, name="ground")
        .mark_rect(color=theme.palette.muted, opacity=0.12)
        .encode(x=alt.X("step:Q", title=words.whole, scale=along, axis=axis), x2=alt.value("width"))
    )
    seen = (
        alt.Chart(one, name="seen")
        .mark_rect(color=theme.palette.accent, opacity=0.3, stroke=theme.palette.accent)
        .encode(
            x=alt.XDatum(alt.ExprRef("first"), type="quantitative", scale=along),
            x2=alt.X2Datum(alt.ExprRef("last")),
        )
    )
    chart = alt.LayerChart(
        layer=[ground, seen],
        autosize="none",
        padding={**_around(theme), "top": theme.pixels(4)},
        config=theme.vega(),
    )
    seen_steps = _parameters({"first": 0, "last": 1, "whole": 1})
    chart.params = [*seen_steps, in_views(zoom, chart.layer[0])]
    return chart


def _around(theme: FigureTheme) -> dict[str, float]:
    sides = {"left": LEFT, "right": RIGHT, "top": TOP, "bottom": BOTTOM}
    return {side: theme.pixels(pixels) for side, pixels in sides.items()}


def _parameters(values: Mapping[str, Any]) -> list[alt.VariableParameter]:
    return [alt.VariableParameter(name=name, value=value) for name, value in values.items()]


_ENDS: Final = {"low": 0.01, "high": 1}


def _panel(name: str, words: LiveWords, theme: FigureTheme) -> alt.LayerChart:
    x = alt.X(
        "step:Q",
        title=words.step,
        scale=_between("first", "last"),
        axis=alt.Axis(grid=False, format=",d", tickCount=4, tickMinStep=1),
    )
    logarithmic = name in LOGARITHMIC
    y = above(
        "value",
        words.panels[name],
        theme,
        scale=_between(f"{name}_low", f"{name}_high", logarithmic=logarithmic),
        labels=_few(name) if logarithmic else _NUMBER,
        # Lines at powers of ten alone: those between them would be a grey ground.
        grid=alt.condition(POWER_OF_TEN, alt.value(1), alt.value(0)) if logarithmic else 1,
    )
    at = (
        alt.Chart(alt.NamedData("at"))
        .mark_rule(color=theme.palette.signal, clip=True)
        .encode(x=alt.X("step:Q", scale=_between("first", "last")))
    )
    lines = {
        "loss": [_of_runs("loss", x, y, theme, faint=True), _of_runs("held_out", x, y, theme)],
        "variance": [_expected(x, y, theme), _of_runs("variance", x, y, theme)],
        "gradients": [_of_layers("gradients", x, y, theme)],
        "entropy": [_of_layers("entropy", x, y, theme)],
    }.get(name, [_of_runs(name, x, y, theme)])
    return alt.LayerChart(layer=[*lines, at], name=name)


def _of_runs(
    data: str, x: alt.X, y: alt.Y, theme: FigureTheme, *, faint: bool = False
) -> alt.Chart:
    """A line a run, told apart by colour and dashes; faint ones by colour alone."""
    runs = list(range(len(DASHES)))
    colours = alt.Scale(domain=runs, range=list(theme.palette.series))
    chart = (
        alt.Chart(alt.NamedData(data))
        .transform_filter("indexof(hidden, datum.run) < 0")
        .mark_line(
            clip=True,
            opacity=0.35 if faint else 1,
            strokeWidth=theme.pixels(1 if faint else 2),
        )
        .encode(x, y, color=alt.Color("run:N", scale=colours, legend=None))
    )
    if faint:
        return chart
    dashes = alt.Scale(domain=runs, range=[list(one) for one in DASHES])
    return chart.encode(strokeDash=alt.StrokeDash("run:N", scale=dashes, legend=None))


def _expected(x: alt.X, y: alt.Y, theme: FigureTheme) -> alt.Chart:
    return (
        alt.Chart(alt.NamedData("expected"))
        .mark_line(
            clip=True, color=theme.palette.muted, strokeDash=[1, 3], strokeWidth=theme.pixels(2)
        )
        .encode(x, y)
    )


def _of_layers(data: str, x: alt.X, y: alt.Y, theme: FigureTheme) -> alt.Chart:
    """Lines of one run, from dark to light by their layer."""
    shades = alt.Scale(domain=[0, 1], range=list(LAYERS[theme.dark]), clamp=True)
    return (
        alt.Chart(alt.NamedData(data))
        .mark_line(clip=True, strokeWidth=theme.pixels(1.25))
        .encode(
            x,
            y,
            detail="line:N",
            color=alt.when("datum.shade < 0")
            .then(alt.value(theme.palette.muted))
            .otherwise(alt.Color("shade:Q", scale=shades, legend=None)),
            strokeDash=alt.StrokeDash(
                "dashed:N", scale=alt.Scale(domain=[0, 1], range=[[1, 0], [5, 3]]), legend=None
            ),
        )
    )


def _between(low: str, high: str, *, logarithmic: bool = False) -> alt.Scale:
    return alt.Scale(
        type="log" if logarithmic else "linear",
        domain=[{"expr": low}, {"expr": high}],
        nice=False,
        zero=alt.Undefined if logarithmic else False,
    )
