"""What two sides give to the same words: two points a word, joined by a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import Any, Final

import altair as alt

from app.figures.theme import FigureTheme

HEIGHT: Final = 190.0  # pixels, without axis and legend
SYMBOL: Final = 70.0  # square pixels of a point
DECADES: Final = 1.0  # so many between the least and the largest, and the axis is logarithmic
SHAPES: Final = ("circle", "square")  # never told apart by colour alone
STEPS: Final = (1, 2, 5)  # of a decade that have a number, where there are few decades


@dataclass(frozen=True)
class Dumbbell:
    """One word.

    Attributes:
        word: as a person reads it.
        values: its probability on the left and on the right.
        known: whether each is its own; else the probability is at most this.
    """

    word: str
    values: tuple[float, float]
    known: tuple[bool, bool] = (True, True)


@dataclass(frozen=True)
class DumbbellWords:
    """What stands at the axis and in the tooltip, in the reader's language.

    Attributes:
        linear, logarithmic: title of the axis, whichever it is.
        at_most: a probability that is not known, with `{value}`.
    """

    word: str
    linear: str
    logarithmic: str
    at_most: str


def dumbbells(
    pairs: Sequence[Dumbbell], names: tuple[str, str], words: DumbbellWords, theme: FigureTheme
) -> alt.LayerChart:
    """A line a word from its probability on the left to that on the right.

    The axis is logarithmic where the probabilities span a decade. A point is hollow where only a
    bound is known.

    Args:
        pairs: from above to below.
        names: of the sides.
        words: of axis and tooltip.
        theme: of the screen.

    Raises:
        ValueError: there is no word.
    """
    if not pairs:
        raise ValueError("a dumbbell has at least one word")
    rows = [
        {
            "word": one.word,
            "left": one.values[0],
            "right": one.values[1],
            "leftSaid": _said(one, 0, words),
            "rightSaid": _said(one, 1, words),
        }
        for one in pairs
    ]
    points = [
        {"word": one.word, "side": side, "value": one.values[side], "known": one.known[side]}
        for one in pairs
        for side in (0, 1)
    ]
    x = _probabilities([value for one in pairs for value in one.values], words)
    y = alt.Y(
        "word:N",
        sort=[one.word for one in pairs],
        title=None,
        axis=alt.Axis(ticks=False, domain=False, labelLimit=theme.pixels(110), labelOverlap=False),
    )
    toggle = alt.selection_point(name="toggle", fields=["side"], bind="legend")
    hover = alt.selection_point(
        name="hover", fields=["word"], on="pointerover", clear="pointerout", empty=False
    )
    lines = (
        alt.Chart(alt.Data(values=rows))
        .mark_rule(color=theme.palette.muted, strokeWidth=theme.pixels(1.5))
        .encode(x=x("left"), x2="right", y=y)
    )
    both = alt.Chart(alt.Data(values=points)).encode(
        x=x("value"),
        y=y,
        color=_of_sides(alt.Color, names, (theme.palette.signal, theme.palette.accent), theme),
        shape=_of_sides(alt.Shape, names, SHAPES, theme),
        opacity=alt.when(toggle).then(alt.value(1)).otherwise(alt.value(0.1)),
    )
    size = theme.pixels(SYMBOL)
    marks = [
        both.transform_filter("datum.known").mark_point(filled=True, size=size),
        # What is hollow hides the line behind it.
        both.transform_filter("!datum.known").mark_point(
            fill=theme.palette.card, size=size, strokeWidth=theme.pixels(1.75)
        ),
    ]
    # Vega complains about a layer without rows.
    shown = [
        mark
        for mark, known in zip(marks, (True, False), strict=True)
        if any(point["known"] is known for point in points)
    ]
    shown[0] = shown[0].add_params(toggle)
    targets = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(color=theme.palette.muted)
        .encode(
            y=y,
            x=alt.value(0),
            x2=alt.value("width"),
            opacity=alt.when(hover).then(alt.value(0.15)).otherwise(alt.value(0)),
            tooltip=[
                alt.Tooltip("word:N", title=words.word),
                alt.Tooltip("leftSaid:N", title=names[0]),
                alt.Tooltip("rightSaid:N", title=names[1]),
            ],
        )
        .add_params(hover)
    )
    return alt.LayerChart(layer=[lines, *shown, targets]).properties(
        height=theme.pixels(HEIGHT),
        config=theme.vega(),
        autosize={"type": "fit-x", "contains": "padding"},
        usermeta={"embedOptions": {"renderer": "svg"}},
    )


def _said(one: Dumbbell, side: int, words: DumbbellWords) -> str:
    value = f"{one.values[side]:.4g}"
    return value if one.known[side] else words.at_most.format(value=value)


def _probabilities(values: Sequence[float], words: DumbbellWords) -> Any:
    """The horizontal axis, for a field."""
    least, most = min(values), max(values)
    if least <= 0 or log10(most / least) < DECADES:
        axis = alt.Axis(format="~g", tickCount=6)
        return lambda field: alt.X(f"{field}:Q", title=words.linear, axis=axis)
    room = (most / least) ** 0.05
    domain = [least / room, min(most * room, 1)]
    powers = range(-45, 1)  # of a float32
    steps = STEPS if log10(most / least) < 3 else STEPS[:1]
    ticks = [step * 10.0**power for power in powers for step in steps]
    axis = alt.Axis(
        values=[tick for tick in ticks if domain[0] <= tick <= domain[1]],
        labelExpr="format(datum.value, datum.value < 0.001 ? '~e' : '~g')",
    )
    scale = alt.Scale(type="log", domain=domain, nice=False)
    return lambda field: alt.X(f"{field}:Q", title=words.logarithmic, axis=axis, scale=scale)


def _of_sides(
    channel: Any, names: tuple[str, str], looks: Sequence[str], theme: FigureTheme
) -> Any:
    return channel(
        "side:N",
        scale=alt.Scale(domain=[0, 1], range=list(looks)),
        # Both sides may have one name.
        legend=alt.Legend(
            title=None,
            orient="top",
            direction="horizontal",
            symbolSize=theme.pixels(SYMBOL),
            labelExpr=f"{json.dumps(list(names))}[datum.value]",
        ),
    )
