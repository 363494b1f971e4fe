"""Parameters of several models, part by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt

from app.figures.theme import TYPE, FigureTheme

ROW: Final = 22.0  # pixels of a model
LEGEND_COLUMN: Final = 105.0  # pixels of a part in the legend, which has several rows on a phone
# Tables, then layers, then the rest: neighbours differ in lightness, not in hue alone.
LIGHT_PARTS: Final = ("#27309a", "#b45309", "#6375dd", "#b6c1f3", "#5c6273", "#d9dbe4")
DARK_PARTS: Final = ("#a3aeff", "#fbbf24", "#6b7df2", "#3f50c0", "#9aa1b2", "#4a5060")


@dataclass(frozen=True)
class ModelParameters:
    """One model.

    Attributes:
        name: what it is called.
        hint: its sizes in words.
        counts: parameters of each part, ``[part]``.
        stated: what its paper says that they are together, and where; ``None`` where none does.
    """

    name: str
    hint: str
    counts: Sequence[int]
    stated: tuple[float, str] | None = None


@dataclass(frozen=True)
class ParameterWords:
    """What stands at the axis, in the legend and in the tooltip, in the reader's language."""

    parameters: str
    share: str
    model: str
    sizes: str
    part: str
    stated: str
    source: str


def parameter_bars(
    models: Sequence[ModelParameters],
    parts: Sequence[str],
    words: ParameterWords,
    theme: FigureTheme,
    *,
    shares: bool = False,
) -> alt.LayerChart:
    """A bar a model, divided into its parts; a part that is pressed in the legend stands out.

    Args:
        models: from above to below.
        parts: names of the parts, ``[part]``.
        words: of axis, legend and tooltip.
        theme: of the screen.
        shares: every bar as long as any other, its parts as shares of its model, in place of
            counts with a mark where the paper's own figure lies.

    Raises:
        ValueError: a model has other parts.
    """
    if any(len(one.counts) != len(parts) for one in models):
        raise ValueError("every model has a count of each part")
    names = [one.name for one in models]
    rows = [
        {
            "model": one.name,
            "sizes": one.hint,
            "part": part,
            "at": at,
            "count": count,
            "share": count / sum(one.counts),
        }
        for one in models
        for at, (part, count) in enumerate(zip(parts, one.counts, strict=True))
        if count
    ]
    y = alt.Y(
        "model:N",
        sort=names,
        title=None,
        axis=alt.Axis(ticks=False, domain=False, labelLimit=theme.pixels(200), labelOverlap=False),
    )
    toggle = alt.selection_point(name="toggle", fields=["part"], bind="legend")
    colours = (DARK_PARTS if theme.dark else LIGHT_PARTS)[: len(parts)]
    bars = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(stroke=theme.palette.card, strokeWidth=0.5)
        .encode(
            x=_shares(words) if shares else _counts(words),
            y=y,
            color=alt.Color(
                "part:N",
                sort=list(parts),
                scale=alt.Scale(domain=list(parts), range=list(colours)),
                legend=alt.Legend(
                    title=None,
                    orient="top",
                    direction="horizontal",
                    columns=alt.ExprRef(f"max(1, floor(width / {theme.pixels(LEGEND_COLUMN)}))"),
                ),
            ),
            order="at:Q",
            opacity=alt.when(toggle).then(alt.value(1)).otherwise(alt.value(0.15)),
            tooltip=[
                alt.Tooltip("model:N", title=words.model),
                alt.Tooltip("sizes:N", title=words.sizes),
                alt.Tooltip("part:N", title=words.part),
                alt.Tooltip("count:Q", title=words.parameters, format=","),
                alt.Tooltip("share:Q", title=words.share, format=".2%"),
            ],
        )
        .add_params(toggle)
    )
    layers: list[alt.Chart] = [bars]
    if not shares:
        layers.append(_totals(models, y, theme))
        if any(one.stated for one in models):
            layers.append(_stated(models, y, words, theme))
    return alt.LayerChart(layer=layers).properties(
        height=len(models) * theme.pixels(ROW),
        config=theme.vega(),
        autosize={"type": "fit-x", "contains": "padding"},
        # Names are measured before the page's own font is there, which is wider.
        padding={"left": theme.pixels(16), "top": 5, "right": 5, "bottom": 5},
        usermeta={"embedOptions": {"renderer": "svg"}},
    )


def _counts(words: ParameterWords) -> alt.X:
    axis = alt.Axis(format="~s", tickCount=6)
    return alt.X("count:Q", title=words.parameters, axis=axis, stack="zero")


def _shares(words: ParameterWords) -> alt.X:
    axis = alt.Axis(format="%", tickCount=5)
    return alt.X(
        "share:Q", title=words.share, axis=axis, stack="zero", scale=alt.Scale(domain=[0, 1])
    )


def _totals(models: Sequence[ModelParameters], y: alt.Y, theme: FigureTheme) -> alt.Chart:
    """What each model has together, in three digits after its bar and its paper's figure."""
    rows = [
        {"model": one.name, "count": count, "end": max(count, one.stated[0] if one.stated else 0)}
        for one in models
        for count in (sum(one.counts),)
    ]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_text(
            align="left",
            dx=theme.pixels(6),
            color=theme.palette.text,
            fontSize=theme.pixels(TYPE),
        )
        .encode(x="end:Q", y=y, text=alt.Text("count:Q", format=".3s"))
    )


def _stated(
    models: Sequence[ModelParameters], y: alt.Y, words: ParameterWords, theme: FigureTheme
) -> alt.Chart:
    """A line across the bar where the paper's figure lies."""
    rows: list[dict[str, Any]] = [
        {"model": one.name, "stated": one.stated[0], "source": one.stated[1]}
        for one in models
        if one.stated
    ]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_tick(
            color=theme.palette.text,
            thickness=theme.pixels(2),
            size=theme.pixels(ROW - 2),
        )
        .encode(
            x="stated:Q",
            y=y,
            tooltip=[
                alt.Tooltip("model:N", title=words.model),
                alt.Tooltip("stated:Q", title=words.stated, format=","),
                alt.Tooltip("source:N", title=words.source),
            ],
        )
    )
