"""What a reader sets in a chart of Altair with the pointer: zoom, hover, legend."""

from __future__ import annotations

from typing import Any

import altair as alt

from app.figures.theme import FigureTheme


def zooming(theme: FigureTheme) -> alt.Parameter:
    """A drag along a horizontal axis, which chooses a part of it."""
    mark = alt.BrushConfig(fill=theme.palette.accent, fillOpacity=0.2, stroke=theme.palette.accent)
    return alt.selection_interval(name="zoom", encodings=["x"], mark=mark)


def hovered(field: str) -> alt.Parameter:
    """What the pointer is at, by the value of a field, in every panel that has it."""
    return alt.selection_point(
        name="hover", fields=[field], on="pointerover", clear="pointerout", empty=False
    )


def toggled(field: str) -> alt.Parameter:
    """What is chosen in the legend; with shift, several."""
    return alt.selection_point(name="toggle", fields=[field], bind="legend")


def in_views(parameter: alt.Parameter, *views: Any) -> alt.TopLevelSelectionParameter:
    """A selection that listens in some views of a chart only, for the chart's `params`.

    Altair's own `add_params` lets it listen in every layer of a panel, which Vega refuses.

    Args:
        parameter: of `alt.selection_point` or `alt.selection_interval`.
        views: single views, as they stand in the whole chart: it copies and renames what it is
            made of. Those without a name get one.
    """
    for number, view in enumerate(views):
        if view.name is alt.Undefined:
            view.name = f"{parameter.name}_{number}"
    names = [view.name for view in views]
    selection = parameter.param
    assert isinstance(selection, alt.SelectionParameter)
    return alt.TopLevelSelectionParameter(views=names, **selection.to_dict())
