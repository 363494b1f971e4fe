"""Curves of several seeds as one line with a band around it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from app.figures.band_panels import Band
from core.experiments.record import RecordedRun

_STACKS = ("encoder", "decoder")


def band_of(runs: Sequence[RecordedRun], column: str) -> Band:
    """A column of the events over steps; a run that diverged has no part in what comes after.

    Args:
        runs: of one setting, one a seed.
        column: one of ``core.experiments.record.COLUMNS``.
    """
    curves = []
    for run in runs:
        steps = [0.0 if step is None else step for step in run.events["step"]]
        curves.append(dict(zip(steps, run.events[column], strict=True)))
    return _band(curves)


def fall_at_end(runs: Sequence[RecordedRun], share: float = 0.1) -> float:
    """By how much the held-out loss still fell at the end: the median of the seeds, in nats.

    Args:
        runs: of one setting; what diverged has no part.
        share: of the steps that the end is.

    Returns:
        Not a number where no run has both ends.
    """
    falls = []
    for run in runs:
        steps, losses = run.events["step"], run.events["held_out_loss"]
        seen = [(s, loss) for s, loss in zip(steps, losses, strict=True) if s and loss is not None]
        before = [loss for step, loss in seen if step <= (1 - share) * seen[-1][0]]
        if before and run.reason == "finished":
            falls.append(before[-1] - seen[-1][1])
    return float(np.median(falls)) if falls else math.nan


def first_norms_of(runs: Sequence[RecordedRun], stack: str) -> Band:
    """Gradient norm of each layer before the first step, over the number of the layer from 0.

    Args:
        runs: of one setting, one a seed.
        stack: ``encoder`` or ``decoder``.

    Raises:
        ValueError: there is no such stack.
    """
    if stack not in _STACKS:
        raise ValueError(f"a Transformer has no {stack}")
    curves = [
        {
            float(name.removeprefix(f"{stack}.")): norm
            for name, norm in run.first_norms.items()
            if name.startswith(f"{stack}.")
        }
        for run in runs
    ]
    return _band(curves)


def _band(curves: Sequence[Mapping[float, float | None]]) -> Band:
    places = sorted({place for curve in curves for place in curve})
    rows = []
    for place in places:
        seen = [curve.get(place) for curve in curves]
        values = [value for value in seen if value is not None]
        rows.append(
            (float(np.median(values)), min(values), max(values)) if values else (math.nan,) * 3
        )
    middle, low, high = np.array(rows, np.float32).reshape(-1, 3).T
    return Band(np.array(places, np.float32), middle, low, high)
