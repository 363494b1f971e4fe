"""The table and the charts of one finding, from its recorded runs."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np

from app.i18n import _
from app.sections.findings.bands import Band, band_of, first_norms_of
from app.sections.findings.finding_curves import Chart, Row, finding_payload
from app.sections.findings.standing import Standing
from app.sections.findings.words import number, range_in_words, setting_names
from app.theme import percent
from core.experiments.record import GRADIENT_GROWTH, LAST_GRADIENT, RecordedRun
from core.experiments.verdict import SettingMeasure

Runs = dict[str, list[RecordedRun]]  # of each setting, by what the reader calls it


def picture_of(standing: Standing) -> bytes:
    """What the browser draws of a finding; settings without a run have neither row nor line."""
    experiment = standing.experiment
    names = setting_names(experiment)
    runs = {
        names[one.name]: standing.runs_of(one.name)
        for one in experiment.settings
        if standing.runs_of(one.name)
    }
    of_gradients = any(
        one.first.measure in (LAST_GRADIENT, GRADIENT_GROWTH) for one in experiment.claim
    )
    if of_gradients:
        columns = (_("ours"), _("last layer’s norm"), _("last over first layer"))
        rows = [Row(name, _gradients(found)) for name, found in runs.items()]
        charts = [_norms(runs, "encoder"), _norms(runs, "decoder")]
    else:
        columns = (_("ours"), _("held-out loss"), _("tokens right"))
        rows = [Row(name, _ending(found)) for name, found in runs.items()]
        charts = _curves(runs)
        of_norms = len({one.lab.get("norm") for one in experiment.settings}) > 1
        charts.append(_norms(runs, "decoder") if of_norms else _gradient_norm(runs))
    return finding_payload(experiment.name, columns, rows, [one for one in charts if _says(one)])


def _says(chart: Chart) -> bool:
    """Whether there is anything to draw: not every run measures everything."""
    return any(band is not None and np.isfinite(band.middle).any() for band in chart.bands)


def _curves(runs: Runs) -> list[Chart]:
    loss, right, rate = (_bands(runs, name) for name in ("held_out_loss", "accuracy", "rate"))
    return [
        Chart(_("Loss"), _("nats a token, held out"), "step", loss, logarithmic=True),
        Chart(_("Accuracy"), _("held-out tokens right"), "step", right, floor=0.0, ceiling=1.0),
        Chart(_("Learning rate"), _("of the step"), "step", rate, floor=0.0),
    ]


def _gradient_norm(runs: Runs) -> Chart:
    bands = _bands(runs, "gradient_norm")
    return Chart(_("Gradient norm"), _("of all weights"), "step", bands, logarithmic=True)


def _bands(runs: Runs, column: str) -> tuple[Band, ...]:
    return tuple(band_of(found, column) for found in runs.values())


def _norms(runs: Runs, stack: str) -> Chart:
    title = {
        "encoder": _("First gradients, encoder"),
        "decoder": _("First gradients, decoder"),
    }[stack]
    bands = tuple(first_norms_of(found, stack) for found in runs.values())
    return Chart(title, _("norm by layer"), "layer", bands, logarithmic=True)


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
