"""The difference of the two maps as a chart, for a reader who wants its numbers or a file."""

from __future__ import annotations

import numpy as np
import streamlit as st

from app.figures.theme import FigureTheme
from app.i18n import _
from app.parts.card_heading import card_heading
from app.parts.fields import toggle_field
from app.parts.figure import Cell, Figure, draw_figure, remembered_figure
from app.sections.compare.compared_maps import Heads
from app.sections.compare.reading import ComparedReadings
from app.state import current_settings
from core.tasks.compare_attention import PairedMaps

MOST_DRAWN = 64  # rows and columns; more have no room for their labels


def difference_asked() -> bool:
    """Whether the reader wants it."""
    return current_settings().difference


def draw_difference(
    readings: ComparedReadings, maps: PairedMaps, heads: Heads, *, alone: bool
) -> None:
    """Draw the choice and, where the reader asks for it, the chart: Plotly has 4.7 MB.

    Args:
        readings: both sides.
        maps: as they are compared.
        heads: layer and head on the left and on the right.
        alone: whether `maps` has this pair alone.
    """
    if not toggle_field("difference", _("Difference as a chart")):
        return
    titles = readings.sides.titles
    (layer, head), (other_layer, other_head) = heads
    pair = _("layer {layer}, head {head}").format(layer=layer, head=head)
    if heads[0] != heads[1]:
        other = _("layer {layer}, head {head}").format(layer=other_layer, head=other_head)
        pair = _("{left} and {right}").format(left=pair, right=other)
    places = ((0, 0), (0, 0)) if alone else heads
    with st.container(key="card-compare-difference", border=True):
        card_heading(_("Right − left"), pair)
        figure = remembered_figure(
            lambda theme: _figure(maps, places, titles, theme),
            "difference",
            maps.rows,
            maps.columns,
            heads,
            titles,
            current_settings().set,
            questions=(readings.left, readings.right),
        )
        draw_figure(figure, key="difference")
        longest = max(len(maps.rows), len(maps.columns))
        if longest > MOST_DRAWN:
            said = _("The first {most} of {count} rows and columns are drawn.")
            st.caption(said.format(most=MOST_DRAWN, count=longest))


def _figure(maps: PairedMaps, heads: Heads, titles: tuple[str, str], theme: FigureTheme) -> Figure:
    from app.figures.difference_map import DifferenceWords, difference_map

    left, right = (
        np.where(masked, np.nan, weights[head])[:MOST_DRAWN, :MOST_DRAWN]
        for weights, masked, head in (
            (maps.left, maps.left_masked, heads[0]),
            (maps.right, maps.right_masked, heads[1]),
        )
    )
    rows, columns = (
        _labels(one.left_labels, one.right_labels) for one in (maps.rows, maps.columns)
    )
    words = DifferenceWords(
        query=_("row: looks"),
        key=_("column: is looked at"),
        difference=_("right − left"),
        cell=_("“{query}” to “{key}”"),
    )
    cells = [
        (row, column)
        for row in range(left.shape[0])
        for column in range(left.shape[1])
        if np.isfinite(left[row, column]) and np.isfinite(right[row, column])
    ]
    sides = titles if titles[0] != titles[1] else (_("left"), _("right"))
    table: dict[str, list[Cell]] = {
        words.query: [rows[row] for row, _column in cells],
        words.key: [columns[column] for _row, column in cells],
        sides[0]: [float(left[cell]) for cell in cells],
        sides[1]: [float(right[cell]) for cell in cells],
        words.difference: [float(right[cell]) - float(left[cell]) for cell in cells],
    }
    chart = difference_map(left, right, rows, columns, titles, words, theme)
    return Figure(chart, table, _("Difference of the two maps, cell by cell"))


def _labels(left: tuple[str, ...], right: tuple[str, ...]) -> list[str]:
    """What a row or column is called; of a replaced word by both names."""
    pairs = list(zip(left, right, strict=True))[:MOST_DRAWN]
    return [one if one == other else f"{one} / {other}" for one, other in pairs]
