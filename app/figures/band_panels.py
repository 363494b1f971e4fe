"""Curves of several settings with bands around them, in panels below each other."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
import numpy as np
from numpy.typing import NDArray

from app.figures.axes import above, of_things, reached_by_pointer, stacked, whole, zoomed
from app.figures.parameters import hovered, in_views, toggled, zooming
from app.figures.theme import FigureTheme

HEIGHT: Final = 96.0  # pixels of a panel
BAR: Final = 19.0  # pixels of a bar


@dataclass(frozen=True)
class Band:
    """Middle, least and most of several seeds.

    Attributes:
        places: of the values, ascending: steps, or numbers of layers; ``[place]``.
        middle: the median; ``[place]``, not a number where no seed has any.
        low, high: the least and the most, likewise.
    """

    places: NDArray[np.float32]
    middle: NDArray[np.float32]
    low: NDArray[np.float32]
    high: NDArray[np.float32]


@dataclass(frozen=True)
class Panel:
    """One panel.

    Attributes:
        title: what is drawn, with its unit.
        axis: what its places are, in the reader's language; the panels of a figure have one.
        bands: one a setting; ``None``: nothing to draw of it.
        floor, ceiling: of the values, where they are known before.
        logarithmic: whether equal distances are equal factors.
    """

    title: str
    axis: str
    bands: tuple[Band | None, ...]
    floor: float | None = None
    ceiling: float | None = None
    logarithmic: bool = False


@dataclass(frozen=True)
class PanelWords:
    """What is said of the bands, with the places of numbers in braces."""

    band: str  # {middle}, {low}, {high}
    whole: str  # at the axis that zooms
    wanted: str  # at the slider
    steps: str  # above the steps to the wanted loss
    never: str


def band_panels(
    names: Sequence[str],
    panels: Sequence[Panel],
    words: PanelWords,
    theme: FigureTheme,
    *,
    to_a_loss: bool,
) -> alt.VConcatChart:
    """Panels over one axis, and below them the whole of it, which zooms all.

    Args:
        names: of the settings, in the order of every panel's bands.
        panels: at least one.
        words: of tooltip, axis and slider.
        theme: of the screen.
        to_a_loss: whether the first panel is a loss over steps: a slider then asks for a loss, and
            bars say after how many steps each setting's median is there.
    """
    if any(len(panel.bands) != len(names) for panel in panels):
        raise ValueError("a panel has more or fewer bands than there are settings")
    zoom, hover, toggle = zooming(theme), hovered("place"), toggled("setting")
    shown = alt.when(toggle).then(alt.value(1)).otherwise(alt.value(0.1))
    faint = alt.when(toggle).then(alt.value(0.2)).otherwise(alt.value(0))
    colour = of_things(alt.Color, names, theme, "setting", symbolType="stroke")
    wanted = _wanted(panels[0], words) if to_a_loss else None

    def drawn(panel: Panel) -> alt.LayerChart:
        curves = alt.Chart(alt.Data(values=_rows(names, panel)))
        x = zoomed("place", zoom)
        scale = alt.Scale(
            type="log" if panel.logarithmic else "linear",
            domainMin=alt.Undefined if panel.floor is None else panel.floor,
            domainMax=alt.Undefined if panel.ceiling is None else panel.ceiling,
            zero=alt.Undefined if panel.logarithmic else False,
        )
        y = above("low", panel.title, theme, scale=scale)
        layers = [
            curves.mark_area(clip=True).encode(
                x=x, y=y, y2="high", color=colour, opacity=faint, detail="setting:N"
            ),
            curves.mark_line(clip=True).encode(
                x=x,
                y=above("middle", panel.title, theme, scale=scale),
                color=colour,
                strokeDash=of_things(alt.StrokeDash, names, theme, "setting", symbolType="stroke"),
                opacity=shown,
            ),
        ]
        if wanted is not None and panel is panels[0]:
            line = alt.Chart(alt.Data(values=[{"line": 0}])).mark_rule(
                color=theme.palette.muted, strokeDash=[2, 2]
            )
            layers.append(
                line.encode(
                    y=alt.YDatum(alt.ExprRef(wanted.name), type="quantitative", scale=scale)
                )
            )
        layers.append(
            alt.Chart(alt.Data(values=_targets(names, panel, words)))
            .mark_rect(color=theme.palette.muted)
            .encode(
                x=zoomed("from", zoom),
                x2="till",
                opacity=alt.when(hover).then(alt.value(0.25)).otherwise(alt.value(0)),
                tooltip=[
                    alt.Tooltip("place:Q", title=panel.axis, format=","),
                    *(
                        alt.Tooltip(f"said{at}:N", title=name)
                        for at, name in enumerate(names)
                        if panel.bands[at] is not None
                    ),
                ],
            )
        )
        return alt.LayerChart(layer=layers, height=theme.pixels(HEIGHT))

    first, *others = panels
    below = (
        alt.Chart(alt.Data(values=_rows(names, first)))
        .mark_line(strokeWidth=1)
        .encode(
            x=whole("place", f"{first.axis} · {words.whole}"),
            y=alt.Y(
                "middle:Q",
                axis=None,
                scale=alt.Scale(type="log" if first.logarithmic else "linear"),
            ),
            color=colour,
            opacity=shown,
        )
        .properties(height=theme.pixels(26))
    )
    bars = [] if wanted is None else [_steps_to(wanted, names, first, words, theme)]
    chart = stacked([drawn(first), *bars, *map(drawn, others), below], theme)
    drawn_panels = [one for at, one in enumerate(chart.vconcat[:-1]) if at != 1 or not bars]
    chart.params = [
        in_views(zoom, chart.vconcat[-1]),
        in_views(hover, *(one.layer[-1] for one in drawn_panels)),
        in_views(toggle, chart.vconcat[0].layer[1]),
        *([] if wanted is None else [wanted]),
    ]
    return chart


def _rows(names: Sequence[str], panel: Panel) -> list[dict[str, Any]]:
    """A row a setting and place; without a number where no seed has any."""
    return [
        {
            "setting": name,
            "place": float(place),
            "middle": _number(middle),
            "low": _number(low),
            "high": _number(high),
        }
        for name, band in zip(names, panel.bands, strict=True)
        if band is not None
        for place, middle, low, high in zip(
            band.places, band.middle, band.low, band.high, strict=True
        )
    ]


def _number(value: np.float32) -> float | None:
    return float(value) if math.isfinite(value) else None


def _targets(names: Sequence[str], panel: Panel, words: PanelWords) -> list[dict[str, Any]]:
    """What the pointer meets: every place until the next, with what each setting has there."""
    rows: dict[float, dict[str, Any]] = {}
    for row in _rows(names, panel):
        told = rows.setdefault(row["place"], {})
        if row["middle"] is None:
            continue
        numbers = {name: f"{row[name]:.4g}" for name in ("middle", "low", "high")}
        same = numbers["low"] == numbers["high"]
        said = numbers["middle"] if same else words.band.format(**numbers)
        told[f"said{names.index(row['setting'])}"] = said
    places = sorted(rows)
    return [
        {"place": place, "from": start, "till": end, **rows[place]}
        for place, (start, end) in zip(places, reached_by_pointer(places), strict=True)
    ]


def _wanted(panel: Panel, words: PanelWords) -> alt.VariableParameter:
    """A loss to ask for, of those at which the settings end; at first the median of these."""
    middles = [one.middle[np.isfinite(one.middle)] for one in panel.bands if one is not None]
    ends = [float(one.min()) for one in middles if len(one)]
    step = 10 ** math.floor(math.log10(max(ends) / 50))
    start, least = (math.ceil(one / step) * step for one in (statistics.median(ends), min(ends)))
    bind = alt.binding_range(min=least, max=1.2 * max(ends), step=step, name=words.wanted)
    return alt.VariableParameter(name="wanted", value=round(start, 6), bind=bind)


def _steps_to(
    wanted: alt.VariableParameter,
    names: Sequence[str],
    panel: Panel,
    words: PanelWords,
    theme: FigureTheme,
) -> alt.LayerChart:
    """After how many steps the median of each setting is at the wanted loss or below it."""
    reached = (
        alt.Chart(alt.Data(values=_rows(names, panel)))
        .transform_calculate(
            reached=f"isValid(datum.middle) && datum.middle <= {wanted.name} ? datum.place : null"
        )
        .transform_aggregate(steps="min(reached)", groupby=["setting"])
        .transform_calculate(
            said="datum.setting + ': ' + (isValid(datum.steps) ? format(datum.steps, ',')"
            f" : '{words.never}')"
        )
    )
    rows = alt.Y("setting:N", sort=list(names), axis=None)
    last = max(float(one.places[-1]) for one in panel.bands if one is not None)
    steps = alt.X(
        "steps:Q",
        title=None,
        axis=alt.Axis(grid=False, labels=False, tickCount=8),
        scale=alt.Scale(domain=[0, last], nice=False),
    )
    bars = reached.mark_bar(opacity=0.3).encode(
        x=steps, y=rows, color=of_things(alt.Color, names, theme, "setting", symbolType="stroke")
    )
    said = reached.mark_text(
        align="left", dx=4, color=theme.palette.text, fontSize=theme.pixels(12)
    ).encode(x=alt.value(0), y=rows, text="said:N")
    title = alt.TitleParams(
        words.steps, color=theme.palette.muted, fontSize=theme.pixels(12), fontWeight="normal"
    )
    return alt.LayerChart(layer=[bars, said], height=theme.pixels(BAR) * len(names), title=title)
