"""How figures look: the palette of the page, and larger type on a projector."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, Final

from app.theme import DARK, LIGHT, SANS, Palette

TYPE: Final = 12.0  # pixels, of axes and legends
ENLARGED: Final = 1.25  # in presenter mode, as the page's own type
# From "less" over nothing, which has the colour of the ground, to "more": those of `palette.js`.
DIVERGING: Final = {
    "light": (
        "#5f2d00", "#9a4d06", "#cf7f2b", "#efbf83", "#ffffff", "#b9c4f4", "#7688e2", "#3f4fc6",
        "#1a1f78",
    ),
    "dark": (
        "#ffe3b8", "#f5b35c", "#bd741f", "#5e3d1d", "#171b23", "#2a3567", "#4a5ec9", "#8f9eff",
        "#dbe0ff",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class FigureTheme:
    """The look of every figure on a screen.

    Attributes:
        dark: whether the page is.
        presented: whether the page is in presenter mode.
    """

    dark: bool = False
    presented: bool = False

    @property
    def palette(self) -> Palette:
        """The page's own colours."""
        return DARK if self.dark else LIGHT

    @property
    def diverging(self) -> tuple[str, ...]:
        """Colours from the most below nothing to the most above it, evenly spaced."""
        return DIVERGING["dark" if self.dark else "light"]

    def pixels(self, size: float) -> float:
        """A size in pixels, larger in presenter mode."""
        return size * ENLARGED if self.presented else size

    def vega(self) -> dict[str, Any]:
        """The configuration of a Vega-Lite chart: `chart.properties(config=theme.vega())`."""
        palette, size = self.palette, self.pixels(TYPE)
        axis = {
            "labelColor": palette.muted,
            "labelFontSize": size,
            "titleColor": palette.muted,
            "titleFontSize": size,
            "titleFontWeight": "normal",
            "titlePadding": self.pixels(6),
            "domainColor": palette.muted,
            "tickColor": palette.muted,
            "gridColor": palette.hairline,
            "labelOverlap": "greedy",
            "labelSeparation": self.pixels(6),
        }
        legend = {
            "labelColor": palette.text,
            "labelFontSize": size,
            "labelLimit": 0,
            "titleColor": palette.muted,
            "titleFontSize": size,
            "titleFontWeight": "normal",
            "symbolStrokeWidth": 2,
            "symbolSize": self.pixels(200),
        }
        title = {
            "color": palette.text,
            "fontSize": self.pixels(TYPE + 1),
            "fontWeight": 600,
            "anchor": "start",
            "frame": "group",
            "subtitleColor": palette.muted,
            "subtitleFontSize": size,
        }
        return {
            # The element around a chart says it in a sentence; a sentence a mark takes as long as
            # the marks themselves.
            "aria": False,
            "background": "transparent",
            "font": SANS,
            "axis": axis,
            "legend": legend,
            "title": title,
            "view": {"stroke": None},
            "line": {"strokeWidth": self.pixels(1.75)},
            "range": {"category": list(palette.series)},
            "mark": {"color": palette.accent},
        }

    def plotly(self) -> dict[str, Any]:
        """The layout of a Plotly figure: `figure.update_layout(theme.plotly())`."""
        palette, size = self.palette, self.pixels(TYPE)
        axis = {
            "gridcolor": palette.hairline,
            "linecolor": palette.muted,
            "zerolinecolor": palette.hairline,
            "tickfont": {"color": palette.muted, "size": size},
            "title": {"font": {"color": palette.muted, "size": size}},
        }
        return {
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"family": SANS, "size": size, "color": palette.text},
            "colorway": list(palette.series),
            "modebar": {
                "bgcolor": "rgba(0,0,0,0)",
                "color": palette.muted,
                "activecolor": palette.accent,
            },
            "hoverlabel": {
                "bgcolor": palette.card,
                "bordercolor": palette.hairline,
                "align": "left",
                "font": {"family": SANS, "size": size, "color": palette.text},
            },
            "legend": {"font": {"size": size}, "orientation": "h", "y": 1, "yanchor": "bottom"},
            "margin": {"l": 0, "r": 0, "t": self.pixels(28), "b": 0},
            "xaxis": axis,
            "yaxis": axis,
        }


def unmarked(text: str) -> str:
    """A text for a chart of Plotly, which would read tags and entities in it.

    >>> unmarked("<s> & <a href='x'>")
    "&lt;s&gt; &amp; &lt;a href='x'&gt;"
    """
    return escape(text, quote=False)
