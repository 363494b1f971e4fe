"""The terms of a model's input as heat maps side by side, with the length of every vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app.figures.theme import TYPE, FigureTheme, unmarked
from app.theme import MONOSPACE

FULL_FROM: Final = 0.99  # of all numbers, ordered by their size: few large ones pale no others
ROW: Final = (11.0, 20.0)  # pixels of a token, at least and at most
ROWS: Final = 300.0  # pixels of all tokens, where that leaves each of them as many
LABELS: Final = 112.0  # pixels of the tokens at the left
LETTERS: Final = 12  # of a token that are written
ABOVE: Final = 22.0  # pixels for the names of the maps
BELOW: Final = 100.0  # pixels for axes, colour bars and legend
GAP: Final = 0.026  # between two maps, of the width of all
LENGTHS: Final = 0.14  # of the width of all


@dataclass(frozen=True)
class Term:
    """One heat map.

    Attributes:
        name: what it is.
        sign: what stands before it in the sum.
        vectors: ``[token, feature]``.
        lengths: Euclidean, ``[token]``.
        own_scale: whether its colours are its own, not those that all others share.
    """

    name: str
    sign: str
    vectors: NDArray[np.float32]
    lengths: NDArray[np.float32]
    own_scale: bool = False


@dataclass(frozen=True)
class TermWords:
    """What stands at the axes and in the tooltip, in the reader's language.

    Attributes:
        token: the axis of tokens.
        feature: the axis of features.
        length: the axis of lengths.
        value: the colours that several maps share.
        own_value: the colours that one map has alone.
        row: a token in the tooltip, with `{token}`, `{position}` and `{segment}`.
    """

    token: str
    feature: str
    length: str
    value: str
    own_value: str
    row: str


def input_terms(
    terms: Sequence[Term],
    tokens: Sequence[str],
    segments: Sequence[str],
    words: TermWords,
    theme: FigureTheme,
) -> go.Figure:
    """Maps of one colour scale beside each other; a drag in one chooses features in all.

    Args:
        terms: in the order of the sum, which is the last of those without a scale of its own.
        tokens: readable, ``[token]``.
        segments: names of the sentences that they belong to, ``[token]``.
        words: of axes and tooltip.
        theme: of the screen.

    Raises:
        ValueError: a term has other rows than there are tokens.
    """
    if any(len(one.vectors) != len(tokens) or len(one.lengths) != len(tokens) for one in terms):
        raise ValueError("every term has one row a token")
    shared = [one for one in terms if not one.own_scale]
    row = min(max(ROWS / len(tokens), ROW[0]), ROW[1])
    tall = theme.pixels(row * len(tokens))
    # Two tokens may read the same: a row is named by its position, too.
    rows = [
        words.row.format(token=unmarked(token), position=at, segment=unmarked(segment))
        for at, (token, segment) in enumerate(zip(tokens, segments, strict=True))
    ]
    wide = (1 - LENGTHS - GAP * len(terms)) / len(terms)
    left = [at * (wide + GAP) for at in range(len(terms))]
    figure = go.Figure()
    figure.update_layout(theme.plotly())
    for at, term in enumerate(terms):
        figure.add_trace(_map(term, shared, rows, at, words))
        figure.update_layout({_axis("x", at): _features(left[at], wide, words, theme)})
    for colour, term in zip(_colours(theme), shared, strict=False):
        figure.add_trace(_bars(term, rows, colour, len(terms)))
    figure.update_layout(
        {
            _axis("x", len(terms)): {
                **theme.plotly()["xaxis"],
                "domain": [1 - LENGTHS, 1],
                "anchor": "y",
                "nticks": 3,
                "rangemode": "tozero",
                "fixedrange": True,
            },
            "coloraxis": _bar(shared, left[0], left[len(shared) - 1] + wide, tall, words, theme),
        }
    )
    if own := [one for one in terms if one.own_scale]:
        at = terms.index(own[0])
        figure.update_layout(coloraxis2=_bar(own, left[at], left[at] + wide, tall, words, theme))
    figure.update_layout(
        height=tall + theme.pixels(ABOVE + BELOW),
        margin={
            "l": theme.pixels(LABELS),
            "r": 4,
            "t": theme.pixels(ABOVE),
            "b": theme.pixels(BELOW),
        },
        yaxis=_tokens(tokens, segments, rows, min(row * 0.78, TYPE), words, theme),
        annotations=_headings(terms, left, words, theme),
        barmode="group",
        bargap=0.2,
        legend={
            "orientation": "v",
            "x": 1 - LENGTHS,
            "xanchor": "left",
            "y": -theme.pixels(18) / tall,
            "yanchor": "top",
            "tracegroupgap": 0,
        },
        # The others do what a drag and a double click do, and would cover the headings.
        modebar_remove=["zoom", "pan", "zoomIn", "zoomOut", "autoScale"],
        uirevision=str(terms[0].vectors.shape[1]),  # chosen features stay so with other tokens
    )
    return figure


def _axis(name: str, at: int) -> str:
    return f"{name}axis{at + 1 if at else ''}"


def _map(
    term: Term, shared: Sequence[Term], rows: Sequence[str], at: int, words: TermWords
) -> go.Heatmap:
    says = [f"{unmarked(term.name)} %{{z:.5f}}"]
    terms_of_sum = None
    if term is shared[-1] and len(shared) > 1:
        # The sum is read with its terms.
        terms_of_sum = np.stack([one.vectors for one in shared[:-1]], axis=-1).astype(np.float32)
        signed = (
            f"{one.sign} {unmarked(one.name)} %{{customdata[{number}]:.5f}}".strip()
            for number, one in enumerate(shared[:-1])
        )
        says = [*signed, f"{term.sign} {says[0]}"]
    return go.Heatmap(
        z=term.vectors.astype(np.float32),
        y=rows,
        customdata=terms_of_sum,
        xaxis=f"x{at + 1 if at else ''}",
        yaxis="y",
        coloraxis="coloraxis2" if term.own_scale else "coloraxis",
        hovertemplate="<br>".join([f"%{{y}}, {words.feature} %{{x}}", *says]) + "<extra></extra>",
    )


def _bars(term: Term, rows: Sequence[str], colour: str, at: int) -> go.Bar:
    return go.Bar(
        x=term.lengths.astype(np.float32),
        y=rows,
        name=unmarked(term.name),
        orientation="h",
        xaxis=f"x{at + 1}",
        yaxis="y",
        marker={"color": colour, "line": {"width": 0}},
        hovertemplate=f"%{{y}}<br>{unmarked(term.name)} %{{x:.5f}}<extra></extra>",
    )


def _colours(theme: FigureTheme) -> tuple[str, ...]:
    palette = theme.palette
    return palette.accent, palette.signal, palette.series[2], palette.text


def _features(left: float, wide: float, words: TermWords, theme: FigureTheme) -> dict[str, Any]:
    axis = theme.plotly()["xaxis"]
    return {
        **axis,
        "domain": [left, left + wide],
        "anchor": "y",
        "matches": "x" if left else None,
        "title": {**axis["title"], "text": words.feature, "standoff": theme.pixels(2)},
        "nticks": 4,
        "tickangle": 0,
        "hoverformat": ",d",
        "tickformat": ",d",
        "showgrid": False,
        "zeroline": False,
        "ticks": "outside",
        "ticklen": 3,
        "tickcolor": theme.palette.muted,
    }


def _tokens(
    tokens: Sequence[str],
    segments: Sequence[str],
    rows: Sequence[str],
    size: float,
    words: TermWords,
    theme: FigureTheme,
) -> dict[str, Any]:
    """The axis of tokens, with the sentence of each in a colour of its own."""
    colours = dict(zip(dict.fromkeys(segments), _colours(theme), strict=False))
    short = [
        token if len(token) <= LETTERS else f"{token[: LETTERS - 1]}…"
        for token in (" ".join(one.split()) for one in tokens)
    ]
    return {
        "title": {"text": words.token, "standoff": theme.pixels(2)},
        "type": "category",
        "range": [len(rows) - 0.5, -0.5],
        "fixedrange": True,
        "tickmode": "array",
        "tickvals": list(range(len(rows))),
        "ticktext": [
            f'{unmarked(token)} <span style="color:{colours[segment]}">{unmarked(segment)}</span> '
            for token, segment in zip(short, segments, strict=True)
        ],
        "tickfont": {"family": MONOSPACE, "size": theme.pixels(size)},
        "showgrid": False,
        "zeroline": False,
        "automargin": False,
    }


def _headings(
    terms: Sequence[Term],
    left: Sequence[float],
    words: TermWords,
    theme: FigureTheme,
) -> list[dict[str, Any]]:
    """The names of the maps, and the signs between them."""
    size = theme.pixels(TYPE)
    above = {"xref": "paper", "yref": "paper", "y": 1, "yanchor": "bottom", "showarrow": False}
    names = [
        {**above, "x": x, "xanchor": "left", "text": unmarked(name), "font": {"size": size}}
        for name, x in zip(
            (*(one.name for one in terms), words.length), (*left, 1 - LENGTHS), strict=True
        )
    ]
    signs = [
        {
            **above,
            "x": x - GAP / 2,
            "xanchor": "center",
            "text": f"<b>{one.sign}</b>",
            "font": {"size": size},
        }
        for one, x in zip(terms[1:], left[1:], strict=True)
    ]
    return [*names, *signs]


def _bar(
    terms: Sequence[Term],
    left: float,
    right: float,
    tall: float,
    words: TermWords,
    theme: FigureTheme,
) -> dict[str, Any]:
    """A colour scale with zero in its middle, and its bar below the maps that it is for."""
    sizes = np.abs(np.concatenate([one.vectors.ravel() for one in terms]))
    full = float(np.quantile(sizes, FULL_FROM)) or 1.0
    size = theme.pixels(TYPE)
    title = words.own_value if terms[0].own_scale else words.value
    return {
        "colorscale": list(theme.diverging),
        "cmin": -full,
        "cmax": full,
        "colorbar": {
            "orientation": "h",
            "x": (left + right) / 2,
            "len": right - left,
            "y": -theme.pixels(44) / tall,
            "yanchor": "top",
            "ypad": 0,
            "thickness": theme.pixels(8),
            "outlinewidth": 0,
            "nticks": 3 if terms[0].own_scale else 7,
            "tickfont": {"color": theme.palette.muted, "size": size},
            "title": {
                "text": title,
                "side": "bottom",
                "font": {"color": theme.palette.muted, "size": size},
            },
        },
    }
