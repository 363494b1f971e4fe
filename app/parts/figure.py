"""A figure on a page: the chart, every value of it in a table, and files of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from app.figures.theme import FigureTheme
from app.i18n import _
from app.parts.scripts import script_component
from app.state import current_settings

if TYPE_CHECKING:  # each takes a third of a second to import, and few pages need both
    import plotly.graph_objects
    from streamlit.elements.vega_charts import AltairChart

Cell = float | str | None


def figure_theme() -> FigureTheme:
    """The look that fits the reader's screen."""
    return FigureTheme(
        dark=st.context.theme.type == "dark", presented=bool(current_settings().present)
    )


def draw_figure(
    chart: AltairChart | plotly.graph_objects.Figure,
    table: Mapping[str, Sequence[Cell]],
    *,
    key: str,
    alt: str,
) -> None:
    """Draw a chart as wide as its place, and below it what it shows in numbers.

    The sheet of the page keeps its room: a `min-height` of `.st-key-figure-KEY > :first-child`.

    Args:
        chart: of Altair or Plotly, with :func:`figure_theme` for its look.
        table: columns of equal length by their headings, as exact as they are known; ``None`` is
            an empty cell.
        key: identity of the figure on its page, and the name of its files.
        alt: what the chart shows, in a sentence.
    """
    lengths = {len(column) for column in table.values()}
    if len(lengths) > 1:
        raise ValueError(f"the columns of a table have one length, not {sorted(lengths)}")
    drawn_by = type(chart).__module__.partition(".")[0]
    with st.container(key=f"figure-{key}", gap=None):
        if drawn_by == "plotly":
            # Its button saves what Streamlit's toolbar cannot.
            st.plotly_chart(
                chart,
                theme=None,
                key=f"{key}-chart",
                alt=alt,
                config={
                    "displaylogo": False,
                    "toImageButtonOptions": {"format": "svg", "filename": key},
                },
            )
        else:
            st.altair_chart(chart, width="stretch", theme=None, key=f"{key}-chart", alt=alt)
        _values(table, key=key, alt=alt, pictures=drawn_by == "altair")


def _values(table: Mapping[str, Sequence[Cell]], *, key: str, alt: str, pictures: bool) -> None:
    """The table behind its heading, and the buttons that save."""
    component = script_component("js/parts/figure_values", "figure-values")
    data: dict[str, Any] = {
        "name": key,
        "columns": list(table),
        "cells": [list(column) for column in table.values()],
        "pictures": pictures,
        "strings": {
            "values": _("Values"),
            "table": alt,
            "save": _("Save as"),
        },
    }
    component(data=data, key=f"{key}-values")
