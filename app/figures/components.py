"""Vectors of positions as a curve in space: their first three principal components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app.figures.theme import FigureTheme
from app.theme import percent

HEIGHT: Final = 320.0  # pixels


@dataclass(frozen=True)
class CurveWords:
    """What stands at the axes and in the tooltip, in the reader's language.

    Attributes:
        position: what is counted along the curve.
        component: an axis, with `{number}` and `{share}`.
    """

    position: str
    component: str


def position_curve(
    points: NDArray[np.floating],
    shares: NDArray[np.floating],
    first: int,
    words: CurveWords,
    theme: FigureTheme,
) -> go.Figure:
    """A curve from each position to the next, coloured by position; dragging turns it.

    Args:
        points: ``[position, 3]``.
        shares: of the variance, that each component holds, ``[3]``.
        first: the first position.
        words: of axes and tooltip.
        theme: of the screen.

    Raises:
        ValueError: the points have not three coordinates.
    """
    if points.ndim != 2 or points.shape[1] != 3 or len(shares) != 3:
        raise ValueError(f"a curve in space has three coordinates, not {points.shape[1:]}")
    palette = theme.palette
    exact = points.astype(np.float32)
    positions = np.arange(first, first + len(points))
    titles = [
        words.component.format(number=number, share=percent(float(share)))
        for number, share in enumerate(shares, start=1)
    ]
    scale = [(0.0, palette.accent), (1.0, palette.signal)]
    size = theme.pixels(11)
    curve = go.Scatter3d(
        x=exact[:, 0],
        y=exact[:, 1],
        z=exact[:, 2],
        customdata=positions,
        mode="lines+markers",
        line={"color": positions, "colorscale": scale, "width": theme.pixels(3)},
        marker={
            "color": positions,
            "colorscale": scale,
            "size": theme.pixels(2.5),
            "colorbar": {
                "title": {"text": words.position, "side": "right", "font": {"size": size}},
                "thickness": theme.pixels(10),
                "len": 0.75,
                "x": 1,
                "outlinewidth": 0,
                "tickfont": {"color": palette.muted, "size": size},
            },
        },
        hovertemplate=(
            f"{words.position} %{{customdata}}<br>%{{x:.4f}}, %{{y:.4f}}, %{{z:.4f}}<extra></extra>"
        ),
    )
    axes = {
        f"{name}axis": {
            "title": {"text": title, "font": {"color": palette.muted, "size": size}},
            "tickfont": {"color": palette.muted, "size": size},
            "gridcolor": palette.hairline,
            "zerolinecolor": palette.muted,
            "showbackground": False,
            "showspikes": False,
            "nticks": 5,
        }
        for name, title in zip("xyz", titles, strict=True)
    }
    figure = go.Figure(curve)
    figure.update_layout(theme.plotly())
    figure.update_layout(
        # One unit is as long on every axis: components that hold little look flat.
        scene={
            **axes,
            "aspectmode": "data",
            "camera": {
                "eye": {"x": 1.5, "y": 1.5, "z": 0.9},
                "center": {"x": 0, "y": 0, "z": -0.15},
            },
        },
        height=theme.pixels(HEIGHT),
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        uirevision="kept",  # a turned curve stays as it is when other positions are drawn
    )
    return figure
