"""A figure on a page: the chart, every value of it in a table, and files of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from app.ask import remembered
from app.figures.theme import FigureTheme
from app.i18n import _, current_language
from app.parts.scripts import script_component
from app.state import current_settings
from core.engine import Call

if TYPE_CHECKING:  # each takes a third of a second to import, and few pages need both
    import plotly.graph_objects
    from streamlit.elements.vega_charts import AltairChart

Cell = float | str | None
MadeT = TypeVar("MadeT")


@dataclass(frozen=True)
class Figure:
    """What a page draws.

    Attributes:
        chart: the specification of Vega-Lite, or a chart of Plotly.
        table: columns of equal length by their headings, as exact as they are known; ``None`` is
            an empty cell.
        alt: what the chart shows, in a sentence.

    Raises:
        ValueError: the columns have several lengths.
    """

    chart: dict[str, Any] | plotly.graph_objects.Figure
    table: Mapping[str, Sequence[Cell]]
    alt: str

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.table.values()}
        if len(lengths) > 1:
            raise ValueError(f"the columns of a table have one length, not {sorted(lengths)}")

    @classmethod
    def of_altair(cls, chart: AltairChart, table: Mapping[str, Sequence[Cell]], alt: str) -> Figure:
        """A chart of Altair, checked and written out: that takes a tenth of a second."""
        import altair

        altair.theme.enable("none")  # sizes of Altair's own; one theme holds for all threads
        return cls(chart.to_dict(), table, alt)


def figure_theme() -> FigureTheme:
    """The look that fits the reader's screen."""
    return FigureTheme(
        dark=st.context.theme.type == "dark", presented=bool(current_settings().present)
    )


def remembered_figure(
    make: Callable[[FigureTheme], MadeT], *of: object, questions: Sequence[Call[Any]] = ()
) -> MadeT:
    """What is drawn, with words around it or without, made once for every look and language.

    Args:
        make: a :class:`Figure`, or several.
        of: all else that it depends on, the figure's name first; hashable.
        questions: of whose answers it is made.
    """
    theme = figure_theme()
    return remembered(questions, (*of, theme, current_language()), lambda: make(theme))


def draw_figure(figure: Figure, *, key: str) -> None:
    """Draw a chart as wide as its place, and below it what it shows in numbers.

    The sheet of the page keeps its room: a `min-height` of `.st-key-figure-KEY > :first-child`.

    Args:
        figure: with :func:`figure_theme` for its look.
        key: identity of the figure on its page, and the name of its files.
    """
    chart, alt = figure.chart, figure.alt
    with st.container(key=f"figure-{key}", gap=None):
        if isinstance(chart, dict):
            st.vega_lite_chart(spec=chart, width="stretch", theme=None, key=f"{key}-chart", alt=alt)
        else:
            # What its own button saves, which the one below presses.
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
        _values(figure.table, key=key, alt=alt, pictures=isinstance(chart, dict))


def _values(table: Mapping[str, Sequence[Cell]], *, key: str, alt: str, pictures: bool) -> None:
    """The table behind its heading, and the buttons that save."""
    component = script_component("js/parts/figure_values", "figure-values")
    data: dict[str, Any] = {
        "name": key,
        "columns": list(table),
        "cells": [list(column) for column in table.values()],
        "pictures": pictures,
        "strings": value_strings(alt),
    }
    component(data=data, key=f"{key}-values")


def value_strings(alt: str) -> dict[str, str]:
    """What the table of a figure and the buttons that save it say."""
    return {"values": _("Values"), "table": alt, "save": _("Save as")}
