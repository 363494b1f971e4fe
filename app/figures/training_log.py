"""What a training reported while it went on: loss, learning rate and gradient norm by step."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.figures.axes import above, of_things, reached_by_pointer, stacked, whole, zoomed
from app.figures.parameters import hovered, in_views, toggled, zooming
from app.figures.theme import FigureTheme

MOST_TARGETS: Final = 500  # of the pointer: an event each, or every second, third ... of many
POINTED: Final = 100  # where there are fewer events, each is a point
SMALL: Final = "datum.value ? format(datum.value, '~e') : '0'"  # numbers far below 1
NOT_FROM_ZERO: Final = alt.Scale(zero=False)


@dataclass(frozen=True)
class LogWords:
    """What stands at the axes and in the tooltip, in the reader's language, with units."""

    step: str
    loss: str
    rate: str
    warm_up: str  # of what is shaded
    gradient_norm: str
    overview: str


def counted_on(steps: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Steps of several runs, each of which counts from 1, as the steps of one.

    >>> counted_on([10, 20, 10, 20])
    (array([10, 20, 30, 40]), array([0, 0, 1, 1]))

    Args:
        steps: of every event, in their order; a smaller one begins another run; ``[event]``.

    Returns:
        The steps since the first run began, and the number of each event's run from 0;
        ``[event]`` both.
    """
    told = np.asarray(steps, np.int64)
    begins = np.flatnonzero(np.diff(told) < 0) + 1
    runs = np.zeros(len(told), np.int64)
    runs[begins] = 1
    before = np.zeros(len(told), np.int64)
    before[begins] = told[begins - 1]
    return told + np.cumsum(before), np.cumsum(runs)


def training_log(
    steps: ArrayLike,
    losses: Mapping[str, Sequence[float | None]],
    rates: Sequence[float],
    gradient_norms: Sequence[float],
    words: LogWords,
    theme: FigureTheme,
) -> alt.VConcatChart:
    """Three panels over one axis of steps, and below them the whole run, which zooms all three.

    Args:
        steps: as :func:`counted_on` takes them; ``[event]``.
        losses: parts of the loss in nats by their names, ``None`` where an event has no such part;
            ``[event]`` each.
        rates: learning rate; ``[event]``.
        gradient_norms: before clipping; ``[event]``.
        words: of axes and tooltip.
        theme: of the screen.
    """
    lengths = {len(one) for one in (np.asarray(steps), rates, gradient_norms, *losses.values())}
    if len(lengths) != 1:
        raise ValueError(f"a log has as many values of each kind, not {sorted(lengths)}")
    places, runs = counted_on(steps)
    rows = [
        {
            "step": int(place),
            "run": int(run),
            "rate": rate,
            "norm": norm,
            **{f"loss{at}": column[event] for at, column in enumerate(losses.values())},
        }
        for event, (place, run, rate, norm) in enumerate(
            zip(places, runs, rates, gradient_norms, strict=True)
        )
    ]
    zoom, hover, toggle = zooming(theme), hovered("step"), toggled("part")
    data = alt.Data(values=rows)
    tooltip = [
        alt.Tooltip("step:Q", title=words.step, format=","),
        *(alt.Tooltip(f"loss{at}:Q", title=name, format=".4f") for at, name in enumerate(losses)),
        alt.Tooltip("rate:Q", title=words.rate, format=".3e"),
        alt.Tooltip("norm:Q", title=words.gradient_norm, format=".3f"),
    ]
    targets = (
        alt.Chart(alt.Data(values=_targets(rows)))
        .mark_rect(color=theme.palette.muted)
        .encode(
            x=zoomed("from", zoom),
            x2="till",
            opacity=alt.when(hover).then(alt.value(0.25)).otherwise(alt.value(0)),
            tooltip=tooltip,
        )
    )
    warm_up = (
        alt.Chart(alt.Data(values=_warm_ups(places, runs, rates)))
        .mark_rect(color=theme.palette.signal, opacity=0.18)
        .encode(x=zoomed("step", zoom), x2="till")
    )

    def panel(height: float, *layers: alt.Chart) -> alt.LayerChart:
        return alt.LayerChart(layer=[*layers, targets], height=theme.pixels(height))

    def line(field: str, title: str, labels: Any = alt.Undefined) -> alt.Chart:
        return (
            alt.Chart(data)
            .mark_line(color=theme.palette.accent, clip=True)
            .encode(
                x=zoomed("step", zoom),
                y=above(field, title, theme, scale=NOT_FROM_ZERO, labels=labels),
                detail="run:N",
            )
        )

    names = list(losses)
    parts = (
        alt.Chart(data)
        .transform_fold([f"loss{at}" for at in range(len(names))], as_=["field", "nats"])
        .transform_filter("isValid(datum.nats)")
        .transform_calculate(part=f"{json.dumps(names)}[toNumber(slice(datum.field, 4))]")
        .encode(
            x=zoomed("step", zoom),
            y=above("nats", words.loss, theme, scale=NOT_FROM_ZERO),
            color=of_things(alt.Color, names, theme, "part", symbolType="stroke"),
            opacity=alt.when(toggle).then(alt.value(1)).otherwise(alt.value(0.1)),
            detail="run:N",
        )
    )
    lines = parts.mark_line(clip=True).encode(
        strokeDash=of_things(alt.StrokeDash, names, theme, "part", symbolType="stroke")
    )
    points = parts.mark_circle(clip=True, size=theme.pixels(16))
    few = len(rows) < POINTED
    overview = (
        alt.Chart(data)
        .mark_area(color=theme.palette.muted, opacity=0.4)
        .encode(
            x=whole("step", words.overview),
            y=alt.Y("rate:Q", axis=None),
            detail="run:N",
        )
        .properties(height=theme.pixels(32))
    )
    chart = stacked(
        [
            panel(170, lines, *([points] if few else [])),
            panel(80, warm_up, line("rate", f"{words.rate} · {words.warm_up}", SMALL)),
            panel(80, line("norm", words.gradient_norm)),
            overview,
        ],
        theme,
    )
    *panels, below = chart.vconcat
    chart.params = [
        in_views(zoom, below),
        in_views(hover, *(one.layer[-1] for one in panels)),
        in_views(toggle, panels[0].layer[0]),
    ]
    return chart


def _targets(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the pointer meets: every event, or every second, third ... of many."""
    shown = rows[:: -(-len(rows) // MOST_TARGETS)]
    reach = reached_by_pointer([row["step"] for row in shown])
    return [
        {**row, "from": start, "till": end} for row, (start, end) in zip(shown, reach, strict=True)
    ]


def _warm_ups(
    places: NDArray[np.int64], runs: NDArray[np.int64], rates: Sequence[float]
) -> list[dict[str, int]]:
    """From where to where the rate of each run rises to its peak."""
    found = []
    for run in range(int(runs[-1]) + 1):
        (events,) = np.nonzero(runs == run)
        start = 0 if events[0] == 0 else int(places[events[0] - 1])
        peak = events[int(np.argmax(np.asarray(rates)[events]))]
        found.append({"step": start, "till": int(places[peak])})
    return found
