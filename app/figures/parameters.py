"""What a reader sets in a chart of Altair with the pointer: zoom, hover, legend."""

from __future__ import annotations

import altair as alt


def in_views(parameter: alt.Parameter, *views: str) -> alt.TopLevelSelectionParameter:
    """A selection that listens in some views of a chart only.

    Altair's own `add_params` lets it listen in every layer, and Vega refuses two layers of one
    panel that do.

    Args:
        parameter: of `alt.selection_point` or `alt.selection_interval`, with a name.
        views: the `name` of each single view.
    """
    return alt.TopLevelSelectionParameter(views=list(views), **parameter.param.to_dict())
