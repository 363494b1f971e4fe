"""Curves over training steps whose rows come later: a script puts them in, and moves them.

Rows of `curves` and `chosen`: `{"step", "value", "name"}`; of `spans`: `{"from", "to", "text",
"late"}`, the text left of the end of a late one; of `at`: `{"step"}`, the step looked at. The
parameters `first`, `last`, `lowest` and `highest` are the ends of the axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from app.figures.axes import POWER_OF_TEN
from app.figures.theme import FigureTheme
from app.theme import DASHES

# Around the axes, in pixels: fixed, so that nothing moves with the length of a number.
LEFT: Final = 76
RIGHT: Final = 14
TOP: Final = 10
BOTTOM: Final = 44

_COUNT: Final = "format(datum.value, ',d')"
_SCIENTIFIC: Final = "datum.value === 0 ? '0' : format(datum.value, '~e')"


def steps_figure(
    names: Sequence[str],
    *,
    steps: str,
    values: str,
    theme: FigureTheme,
    log_steps: bool = False,
    log_values: bool = False,
    small: bool = False,
    words: float = 1.0,
) -> alt.LayerChart:
    """Curves over steps, the step looked at with its points, and spans of steps with a name.

    Args:
        names: of the curves, as the rows have them; the first takes the first colour and dash.
        steps: title of the horizontal axis.
        values: title of the vertical axis, with its unit.
        theme: the look.
        log_steps, log_values: whether an axis is logarithmic; it begins above 0 then.
        small: whether values are rates far below 1, which are written as powers of ten.
        words: height of the names of spans, from 0 at the top to 1 at the bottom.
    """
    along = _scale("first", "last", log_steps)
    x = alt.X(
        "step:Q",
        scale=along,
        axis=alt.Axis(
            title=steps,
            grid=False,
            tickCount={"expr": "width / 110"},
            labelExpr=f"{POWER_OF_TEN} ? {_COUNT} : ''" if log_steps else _COUNT,
            labelFlush=True,
        ),
    )
    y = alt.Y(
        "value:Q",
        scale=_scale("lowest", "highest", log_values),
        axis=alt.Axis(
            title=values,
            tickCount={"expr": "height / 46"},
            labelExpr=_written(small, log_values),
            gridOpacity=_at_powers() if log_values else 1,
            minExtent=theme.pixels(46),
            maxExtent=theme.pixels(46),
        ),
    )
    name = alt.Color("name:N", scale=_one_each(names, theme.palette.series), legend=None)
    dash = alt.StrokeDash("name:N", scale=_one_each(names, DASHES), legend=None)
    spans, at, chosen = (alt.Chart(alt.NamedData(one)) for one in ("spans", "at", "chosen"))
    layers = [
        spans.mark_rect(color=theme.palette.muted, opacity=0.12, clip=True).encode(
            x=alt.X("from:Q", scale=along), x2="to"
        ),
        spans.mark_rule(color=theme.palette.muted, strokeDash=[2, 3], clip=True).encode(
            x=alt.X("to:Q", scale=along)
        ),
        alt.Chart(alt.NamedData("curves"), name="curves")
        .mark_line(clip=True)
        .encode(x, y, name, dash),
        *(_words(spans, along, late, words, theme) for late in (False, True)),
        at.mark_rule(color=theme.palette.signal, clip=True)
        .properties(name="at")
        .encode(x=alt.X("step:Q", scale=along)),
        chosen.mark_point(filled=True, opacity=1, size=theme.pixels(60), clip=True)
        .properties(name="chosen")
        .encode(x=x, y=y, color=name),
    ]
    sides = {"left": LEFT, "right": RIGHT, "top": TOP, "bottom": BOTTOM}
    return alt.LayerChart(
        layer=layers,
        params=[alt.VariableParameter(name=name, value=value) for name, value in _ENDS.items()],
        autosize="none",
        padding={side: theme.pixels(pixels) for side, pixels in sides.items()},
        config=theme.vega(),
    )


_ENDS: Final = {"first": 0, "last": 1, "lowest": 0, "highest": 1}


def _scale(low: str, high: str, is_logarithmic: bool) -> alt.Scale:
    return alt.Scale(
        type="log" if is_logarithmic else "linear",
        domain=[{"expr": low}, {"expr": high}],
        nice=False,
    )


def _one_each(names: Sequence[str], values: Sequence[Any]) -> alt.Scale:
    return alt.Scale(
        domain=list(names),
        range=[list(v) if isinstance(v, tuple) else v for v in values[: len(names)]],
    )


def _at_powers() -> alt.ConditionalAxisNumber:
    """Grid lines at powers of ten alone: those between them would be a grey ground."""
    return alt.ConditionalAxisNumber(
        condition=alt.ConditionalPredicateValueDefnumberExprRef(test=POWER_OF_TEN, value=1),
        value=0,
    )


def _written(small: bool, is_logarithmic: bool) -> str:
    """How a value at the vertical axis is written, as Vega's expression."""
    number = _SCIENTIFIC if small else "format(datum.value, '~g')"
    return f"{POWER_OF_TEN} ? {number} : ''" if is_logarithmic else number


def _words(
    spans: alt.Chart, along: alt.Scale, late: bool, height: float, theme: FigureTheme
) -> alt.Chart:
    """The names of spans, right of their end or left of it."""
    return (
        spans.transform_filter("datum.late" if late else "!datum.late")
        .mark_text(
            align="right" if late else "left",
            baseline="bottom",
            dx=-5 if late else 5,
            dy=-4,
            color=theme.palette.muted,
            fontSize=theme.pixels(12),
        )
        .encode(
            x=alt.X("to:Q", scale=along), y=alt.value({"expr": f"{height} * height"}), text="text:N"
        )
    )
