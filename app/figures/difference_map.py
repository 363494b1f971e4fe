"""The difference of two attention maps, on a scale of its own that has 0 in its middle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app.figures.theme import TYPE, FigureTheme
from app.theme import MONOSPACE

ROW: Final = 20.0  # pixels of a row
AROUND: Final = 180.0  # pixels of what stands around the rows
LONGEST: Final = 16  # letters of a label
NAMED: Final = 18  # columns that have a name each on a phone


@dataclass(frozen=True)
class DifferenceWords:
    """What stands at the axes, above the colours and at the pointer, in the reader's language.

    Attributes:
        query, key: of rows and columns.
        difference: of the numbers.
        cell: a cell, with `{query}` and `{key}`.
    """

    query: str
    key: str
    difference: str
    cell: str


def difference_map(
    left: NDArray[np.floating],
    right: NDArray[np.floating],
    rows: Sequence[str],
    columns: Sequence[str],
    names: tuple[str, str],
    words: DifferenceWords,
    theme: FigureTheme,
) -> go.Figure:
    """A cell a pair of tokens: orange where the left side has more, blue where the right one has.

    Args:
        left, right: weights ``[row, column]``; where either is not a number, nothing is drawn.
        rows, columns: what they are called.
        names: of the sides.
        words: of axes, colours and pointer.
        theme: of the screen.

    Raises:
        ValueError: the sizes disagree.
    """
    shape = (len(rows), len(columns))
    if left.shape != shape or right.shape != shape or not left.size:
        raise ValueError(f"maps of {left.shape} and {right.shape} do not fit labels of {shape}.")
    difference = right.astype(np.float64) - left
    limit = float(np.nanmax(np.abs(difference), initial=0.0)) or 1.0
    palette, size = theme.palette, theme.pixels(TYPE)
    said = [
        [
            _cell(left[row, column], right[row, column], rows[row], columns[column], names, words)
            for column in range(shape[1])
        ]
        for row in range(shape[0])
    ]
    heat = go.Heatmap(
        z=difference,
        text=said,
        hoverinfo="text",
        zmin=-limit,
        zmax=limit,
        colorscale=list(theme.diverging),
        xgap=1,
        ygap=1,
        colorbar={
            "title": {"text": escape(words.difference), "side": "top", "font": {"size": size}},
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "bottom",
            "len": 0.6,
            "tickvals": [-limit, 0, limit],
            "ticktext": [_signed(-limit), "0", _signed(limit)],
            "thickness": theme.pixels(10),
            "outlinewidth": 0,
            "tickfont": {"color": palette.muted, "size": size},
        },
    )
    figure = go.Figure(heat)
    figure.update_layout(theme.plotly())
    figure.update_layout(
        xaxis=_axis(columns, words.key, theme, tickangle=-90) | _thinned(columns),
        yaxis=_axis(rows, words.query, theme, autorange="reversed"),
        height=len(rows) * theme.pixels(ROW) + theme.pixels(AROUND),
        margin={"l": 0, "r": theme.pixels(16), "t": theme.pixels(52), "b": 0},
        plot_bgcolor=palette.ground,
    )
    return figure


def _axis(labels: Sequence[str], title: str, theme: FigureTheme, **more: Any) -> dict[str, Any]:
    return {
        "title": {"text": escape(title), "standoff": theme.pixels(8)},
        "tickvals": list(range(len(labels))),
        "ticktext": [_plain(one) for one in labels],
        "tickfont": {"family": MONOSPACE, "size": theme.pixels(TYPE - 1)},
        "showgrid": False,
        "zeroline": False,
        "automargin": True,
        "fixedrange": True,  # a finger scrolls the page
        **more,
    }


def _thinned(columns: Sequence[str]) -> dict[str, Any]:
    """Of many columns, on a phone as on a projector, every second or fifth has its name."""
    if len(columns) <= NAMED:
        return {}
    names = {str(at): _plain(one) for at, one in enumerate(columns)}
    return {"tickvals": None, "ticktext": None, "nticks": NAMED, "labelalias": names}


def _plain(text: str) -> str:
    """Text as Plotly shows it: it takes tags for type, and entities for letters."""
    cut = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return escape(cut, quote=False)


def _cell(
    left: np.floating,
    right: np.floating,
    row: str,
    column: str,
    names: tuple[str, str],
    words: DifferenceWords,
) -> str:
    if not (np.isfinite(left) and np.isfinite(right)):
        return ""
    sides = ((names[0], f"{left:.6f}"), (names[1], f"{right:.6f}"))
    lines = [
        words.cell.format(query=_plain(row), key=_plain(column)),
        *(f"{_plain(name)} {value}" for name, value in sides),
        f"{escape(words.difference)} {_signed(float(right) - float(left))}",
    ]
    return "<br>".join(lines)


def _signed(value: float) -> str:
    return f"{value:+.4f}".replace("-", "\N{MINUS SIGN}")
