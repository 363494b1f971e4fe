"""The table and the charts of one finding, from its recorded runs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby

import numpy as np
import streamlit as st

from app.figures.band_panels import Panel, PanelWords, band_panels
from app.figures.theme import FigureTheme
from app.i18n import _
from app.parts.figure import Cell, Figure, draw_figure, remembered_figure
from app.parts.table_card import scrolling
from app.sections.findings.bands import band_of, first_norms_of
from app.sections.findings.standing import Standing
from app.sections.findings.words import number, range_in_words, setting_names
from app.theme import percent
from core.experiments.record import GRADIENT_GROWTH, LAST_GRADIENT, RecordedRun
from core.experiments.verdict import SettingMeasure

Runs = Mapping[str, Sequence[RecordedRun]]  # of each setting, by what the reader calls it


def draw_picture(standing: Standing) -> None:
    """Draw how each setting ended, and its curves; nothing of a setting without a run."""
    runs = runs_of(standing)
    st.html(endings(standing, runs))
    figures = remembered_figure(lambda theme: _figures(standing, runs, theme), "finding", standing)
    for key, figure in figures.items():
        draw_figure(figure, key=key)


def _figures(standing: Standing, runs: Runs, theme: FigureTheme) -> dict[str, Figure]:
    """One figure an axis, by its key."""
    figures = {}
    names = list(runs)
    for axis, group in groupby(panels_of(standing, runs), key=lambda panel: panel.axis):
        panels, over_steps = list(group), axis == _("step")
        figures["finding" if over_steps else "finding-layers"] = Figure.of_altair(
            band_panels(names, panels, _words(), theme, to_a_loss=over_steps),
            values_of(names, panels),
            _("{panels} of every setting: medians over the seeds, with bands").format(
                panels=", ".join(panel.title for panel in panels)
            ),
        )
    return figures


def runs_of(standing: Standing) -> Runs:
    """The runs of every setting that has any, in the order of the experiment."""
    names = setting_names(standing.experiment)
    return {
        names[one.name]: found
        for one in standing.experiment.settings
        if (found := standing.runs_of(one.name))
    }


def endings(standing: Standing, runs: Runs) -> str:
    """A table of how each setting ended, as HTML."""
    if _of_gradients(standing):
        columns = (_("ours"), _("last layer’s norm"), _("last over first layer"))
        rows = {name: _gradients(found) for name, found in runs.items()}
    else:
        columns = (_("ours"), _("held-out loss"), _("tokens right"))
        rows = {name: _ending(found) for name, found in runs.items()}
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + "</tr>"
        for name, cells in rows.items()
    )
    title = _("The settings that were compared, and how each ended")
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    name = escape(standing.experiment.name)
    return (
        f'<section class="finding-ends" data-finding="{name}">{scrolling(table, title)}</section>'
    )


def panels_of(standing: Standing, runs: Runs) -> list[Panel]:
    """What is drawn of a finding; nothing that no run has measured."""
    if _of_gradients(standing):
        panels = [_norms(runs, "encoder"), _norms(runs, "decoder")]
    else:
        panels = [
            _by_step(runs, "held_out_loss", _("held-out loss, nats a token"), logarithmic=True),
            _by_step(runs, "accuracy", _("held-out tokens right"), floor=0.0, ceiling=1.0),
            _by_step(runs, "rate", _("learning rate"), floor=0.0),
        ]
        of_norms = len({one.lab.get("norm") for one in standing.experiment.settings}) > 1
        title = _("gradient norm of all weights")
        panels.append(
            _norms(runs, "decoder")
            if of_norms
            else _by_step(runs, "gradient_norm", title, logarithmic=True)
        )
    return [one for one in panels if _says(one)]


def values_of(names: Sequence[str], panels: Sequence[Panel]) -> dict[str, list[Cell]]:
    """Every number that the panels draw: a row a panel, setting and place."""
    table: dict[str, list[Cell]] = {
        name: []
        for name in (
            _("chart"),
            _("setting"),
            _("step or layer"),
            _("median"),
            _("least"),
            _("most"),
        )
    }
    for panel in panels:
        for name, band in zip(names, panel.bands, strict=True):
            if band is None:
                continue
            numbers = zip(band.places, band.middle, band.low, band.high, strict=True)
            for place, *values in numbers:
                if all(map(math.isfinite, values)):
                    row: tuple[Cell, ...] = (
                        panel.title,
                        name,
                        float(place),
                        *map(_as_recorded, values),
                    )
                    for column, cell in zip(table.values(), row, strict=True):
                        column.append(cell)
    return table


def _as_recorded(value: np.float32) -> float:
    """A number in the digits in which it was recorded, not those of its 32 bits in 64."""
    return float(np.format_float_positional(value, unique=True))


def _words() -> PanelWords:
    return PanelWords(
        band=_("{middle} ({low} to {high})"),
        whole=_("drag: zoom, double click: all"),
        wanted=_("loss of the line"),
        steps=_("steps to the loss of the line above"),
        never=_("never"),
    )


def _of_gradients(standing: Standing) -> bool:
    measures = {one.first.measure for one in standing.experiment.claim}
    return bool(measures & {LAST_GRADIENT, GRADIENT_GROWTH})


def _says(panel: Panel) -> bool:
    """Whether there is anything to draw: not every run measures everything."""
    return any(band is not None and np.isfinite(band.middle).any() for band in panel.bands)


def _by_step(
    runs: Runs,
    column: str,
    title: str,
    *,
    logarithmic: bool = False,
    floor: float | None = None,
    ceiling: float | None = None,
) -> Panel:
    bands = tuple(band_of(found, column) for found in runs.values())
    return Panel(title, _("step"), bands, floor, ceiling, logarithmic)


def _norms(runs: Runs, stack: str) -> Panel:
    title = {
        "encoder": _("encoder: gradient norm at step 1"),
        "decoder": _("decoder: gradient norm at step 1"),
    }[stack]
    bands = tuple(first_norms_of(found, stack) for found in runs.values())
    return Panel(title, _("layer"), bands, logarithmic=True)


def _ending(runs: Sequence[RecordedRun]) -> tuple[str, ...]:
    losses = [run.loss() for run in runs]
    right = [run.events["accuracy"][-1] for run in runs if run.events["accuracy"]]
    known = [one for one in right if one is not None]
    return _with_range(losses), percent(statistics.median(known)) if known else "–"


def _gradients(runs: Sequence[RecordedRun]) -> tuple[str, ...]:
    cells = []
    for measure in (LAST_GRADIENT, GRADIENT_GROWTH):
        values = [value for run in runs if (value := run.measures.get(measure)) is not None]
        cells.append(range_in_words(values, SettingMeasure("", measure)) if values else "–")
    return tuple(cells)


def _with_range(losses: Sequence[float]) -> str:
    """The median, with least and most: `0.146 (0.136 to 0.155)`."""
    middle = number(statistics.median(losses))
    ends = range_in_words(losses, SettingMeasure(""))
    return middle if len(set(losses)) == 1 else f"{middle} ({ends})"
