"""The recorded runs of a finding: a table of its settings, and charts with bands over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.i18n import _
from app.parts.scripts import script_component
from app.sections.findings.bands import Band
from app.wire import pack


@dataclass(frozen=True)
class Row:
    """A setting in the table: its name, and as many cells as the table has columns but one."""

    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Chart:
    """One chart.

    Attributes:
        title, hint: its heading and what qualifies it.
        axis: ``step`` or ``layer``; charts of one axis move together.
        bands: one a setting, in the order of the rows; ``None``: nothing to draw of it.
        floor, ceiling: of the values, where they are known before.
        logarithmic: whether equal distances are equal factors.
    """

    title: str
    hint: str
    axis: str
    bands: tuple[Band | None, ...]
    floor: float | None = None
    ceiling: float | None = None
    logarithmic: bool = False


def finding_curves(payload: bytes, *, key: str) -> None:
    """Draw the table and the charts.

    Args:
        payload: of :func:`finding_payload`.
        key: identity of this component on its page.
    """
    component = script_component(
        "sections/findings/finding",
        "lab-curves finding-curves",
        sheets=("sections/warm_up/lab_curves", "sections/findings/finding_curves"),
    )
    component(data=payload, key=key)


def finding_payload(
    name: str, columns: Sequence[str], rows: Sequence[Row], charts: Sequence[Chart]
) -> bytes:
    """What the browser draws.

    Args:
        name: of the finding.
        columns: headings of the table, that of the settings' names among them.
        rows: in the order of the legend.
        charts: each with one band a row.
    """
    if any(len(row.cells) + 1 != len(columns) for row in rows):
        raise ValueError("a row of the table has more or fewer cells than the table")
    if any(len(chart.bands) != len(rows) for chart in charts):
        raise ValueError("a chart has more or fewer bands than there are settings")
    return pack(
        {
            "name": name,
            "columns": list(columns),
            "settings": list(rows),
            "panels": [_panel(chart) for chart in charts],
            "strings": {
                "table": _("The settings that were compared, and how each ended"),
                "at": {"step": _("step {place}"), "layer": _("layer {place}")},
                "band": _("{middle} ({low} to {high})"),
                "keys": _(
                    "Lines are medians over the seeds, bands reach from the least to the most."
                    " Drag to zoom, double-click to see all; with the keys: arrows, + and −, 0."
                ),
            },
        }
    )


def _panel(chart: Chart) -> dict[str, Any]:
    there = [(at, band) for at, band in enumerate(chart.bands) if band and len(band.places)]
    ends = [float(end) for _at, band in there for end in (band.places[0], band.places[-1])]
    least = 0.0 if chart.axis == "step" else min(ends, default=0.0)
    return {
        "title": chart.title,
        "hint": chart.hint,
        "axis": chart.axis,
        "least": least,
        "most": max([least + 1, *ends]),
        "floor": chart.floor,
        "ceiling": chart.ceiling,
        "logarithmic": chart.logarithmic,
        "lines": [{"setting": at, "band": band} for at, band in there],
    }
