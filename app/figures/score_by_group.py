"""A score of several models by groups of what they were measured on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt

from app.figures.axes import above, of_things
from app.figures.parameters import in_views, toggled
from app.figures.theme import FigureTheme

HEIGHT: Final = 270.0  # pixels, legend and axis included


@dataclass(frozen=True)
class ScoreWords:
    """What stands at the axes and in the tooltip, in the reader's language."""

    group: str
    score: str
    count: str
    model: str


def score_by_group(
    scores: Mapping[str, Sequence[float | None]],
    counts: Mapping[str, int],
    words: ScoreWords,
    theme: FigureTheme,
) -> alt.LayerChart:
    """A line a model over the groups, which have an order.

    Args:
        scores: of each model, by its name; ``None`` where there was nothing to measure;
            ``[group]`` each.
        counts: how many examples each group has, in the order of the axis; ``[group]``.
        words: of axes and tooltip.
        theme: of the screen.
    """
    if any(len(one) != len(counts) for one in scores.values()):
        raise ValueError("a model has more or fewer scores than there are groups")
    rows = [
        {"model": name, "group": group, "score": score, "count": count}
        for name, of_groups in scores.items()
        for (group, count), score in zip(counts.items(), of_groups, strict=True)
        if score is not None
    ]
    toggle = toggled("model")
    shown = alt.when(toggle).then(alt.value(1)).otherwise(alt.value(0.1))
    names = list(scores)
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "group:N",
            sort=list(counts),
            title=words.group,
            axis=alt.Axis(labelAngle=0, grid=False),
            scale=alt.Scale(type="point", padding=0.3),
        ),
        y=above("score", words.score, theme, scale=alt.Scale(zero=True)),
        color=of_things(alt.Color, names, theme, "model"),
        opacity=shown,
    )
    lines = base.mark_line()
    points = base.mark_point(filled=True, size=theme.pixels(70)).encode(
        shape=of_things(alt.Shape, names, theme, "model")
    )
    targets = base.mark_circle(size=theme.pixels(700)).encode(
        opacity=alt.value(0),
        tooltip=[
            alt.Tooltip("model:N", title=words.model),
            alt.Tooltip("group:N", title=words.group),
            alt.Tooltip("score:Q", title=words.score, format=".2f"),
            alt.Tooltip("count:Q", title=words.count, format=","),
        ],
    )
    chart = alt.LayerChart(
        layer=[lines, points, targets],
        height=theme.pixels(HEIGHT),
        config=theme.vega(),
        padding={"left": 0, "right": 4, "top": 4, "bottom": 4},
        usermeta={"embedOptions": {"renderer": "svg"}},
    )
    chart.params = [in_views(toggle, chart.layer[1])]
    return chart
