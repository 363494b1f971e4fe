"""How some words of the vocabulary rank at every layer, on a logarithmic scale."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt

from app.figures.theme import FigureTheme
from app.theme import DASHES

HEIGHT: Final = 150.0  # pixels, without axis and legend
LEGEND_COLUMN: Final = 110.0  # pixels of a word in the legend, which has several rows on a phone


@dataclass(frozen=True)
class RankedWord:
    """One word.

    Attributes:
        name: as a person can read it.
        original: whether it is what the mask hides.
        ranks: 1 for the likeliest of all, ``[layer]``.
        probabilities: ``[layer]``.
    """

    name: str
    original: bool
    ranks: Sequence[int]
    probabilities: Sequence[float]


@dataclass(frozen=True)
class RankWords:
    """What stands at the axes, in the legend and in the tooltip, in the reader's language."""

    layer: str
    rank: str
    said: str


def rank_lines(
    ranked: Sequence[RankedWord], said: Sequence[str], words: RankWords, theme: FigureTheme
) -> alt.LayerChart:
    """A line a word over the layers, rank 1 at the top; below each layer the word that it says.

    Args:
        ranked: the words, as their legend names them.
        said: what each layer puts first, ``[layer]``.
        words: of axes and tooltip.
        theme: of the screen.

    Raises:
        ValueError: a word has not one rank a layer.
    """
    layers = len(said)
    if any(len(one.ranks) != layers or len(one.probabilities) != layers for one in ranked):
        raise ValueError(f"every word has a rank and a probability at each of {layers} layers")
    names = [one.name for one in ranked]
    rows = [
        {"word": one.name, "layer": layer, "rank": rank}
        for one in ranked
        for layer, rank in enumerate(one.ranks)
    ]
    toggle = alt.selection_point(name="toggle", fields=["word"], bind="legend")
    hover = alt.selection_point(
        name="hover", fields=["layer"], on="pointerover", clear="pointerout", empty=False
    )
    x = alt.X(
        "layer:O",
        title=words.layer,
        axis=alt.Axis(
            labelAngle=0,
            labelOverlap=False,
            labelLimit=alt.ExprRef(f"width / {layers} - 4"),
            # The second line of a label is the word.
            labelExpr=f"[datum.value, {json.dumps(list(said))}[datum.value]]",
            grid=False,
        ),
        scale=alt.Scale(paddingOuter=0),
    )
    columns = alt.ExprRef(f"max(1, floor(width / {theme.pixels(LEGEND_COLUMN)}))")
    lines = (
        alt.Chart(alt.Data(values=rows))
        .mark_line()
        .encode(
            x=x,
            y=_ranks(max(max(one.ranks) for one in ranked), words.rank),
            # Two legends become one if one of them alone counts its columns.
            color=_of_words(alt.Color, names, _colours(ranked, theme), columns=columns),
            strokeDash=_of_words(alt.StrokeDash, names, [list(one) for one in DASHES]),
            opacity=alt.when(toggle).then(alt.value(1)).otherwise(alt.value(0.1)),
        )
        .add_params(toggle)
    )
    targets = (
        alt.Chart(alt.Data(values=_of_layers(ranked, said)))
        .mark_bar(color=theme.palette.muted)
        .encode(
            x=x,
            opacity=alt.when(hover).then(alt.value(0.15)).otherwise(alt.value(0)),
            tooltip=[
                alt.Tooltip("layer:O", title=words.layer),
                alt.Tooltip("said:N", title=words.said),
                *(alt.Tooltip(f"at{at}:N", title=name) for at, name in enumerate(names)),
            ],
        )
        .add_params(hover)
    )
    return alt.LayerChart(layer=[lines, targets]).properties(
        height=theme.pixels(HEIGHT),
        config=theme.vega(),
        autosize={"type": "fit-x", "contains": "padding"},
        usermeta={"embedOptions": {"renderer": "svg"}},
    )


def _ranks(largest: int, title: str) -> alt.Y:
    powers = [10**power for power in range(len(str(largest)))]
    scale = alt.Scale(type="log", domain=[1, max(largest, 10)], reverse=True, nice=False)
    axis = alt.Axis(values=powers, format=",", domain=False, ticks=False)
    return alt.Y("rank:Q", title=title, axis=axis, scale=scale)


def _colours(ranked: Sequence[RankedWord], theme: FigureTheme) -> list[str]:
    """The page's colour of what is hidden for the original, others for the rest."""
    palette = theme.palette
    others = (colour for colour in palette.series if colour != palette.signal)
    return [palette.signal if one.original else next(others) for one in ranked]


def _of_words(channel: Any, names: Sequence[str], looks: Sequence[Any], **legend: Any) -> Any:
    return channel(
        "word:N",
        sort=list(names),
        scale=alt.Scale(domain=list(names), range=list(looks[: len(names)])),
        legend=alt.Legend(
            title=None, orient="top", direction="horizontal", symbolType="stroke", **legend
        ),
    )


def _of_layers(ranked: Sequence[RankedWord], said: Sequence[str]) -> list[dict[str, Any]]:
    """What the pointer meets: a layer, with rank and probability of every word."""
    return [
        {"layer": layer, "said": word}
        | {
            f"at{at}": f"{one.ranks[layer]:,} (p {one.probabilities[layer]:.2g})"
            for at, one in enumerate(ranked)
        }
        for layer, word in enumerate(said)
    ]
