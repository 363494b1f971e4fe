"""Settings of the lab as people say them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.i18n import _
from app.lab.plan import Compare, differences
from core.config import NormPlacement
from core.lab.settings import LabSettings
from core.lab.tasks import Task
from core.training.optimisers import Method
from core.training.schedules import Shape


def title_of(name: str) -> str:
    """The name of a field."""
    return {
        "compare": _("Compare"),
        "task": _("Task"),
        "norm": _("Norms"),
        "method": _("Optimiser"),
        "warm_up": _("Warm-up"),
        "peak_rate": _("Peak rate"),
        "steps": _("Steps"),
        "shape": _("After the warm-up"),
        "batch": _("Batch"),
        "width": _("Width"),
        "depth": _("Layers a side"),
        "seed": _("Seed"),
    }[name]


def compare_in_words(compare: Compare) -> str:
    """In what the runs differ."""
    return {
        Compare.WARM_UP: _("warm-up or none"),
        Compare.NORMS: _("norms and warm-up"),
        Compare.METHOD: _("optimisers"),
        Compare.RATE: _("peak rates"),
        Compare.BATCH: _("batch sizes"),
        Compare.WIDTH: _("widths"),
        Compare.DEPTH: _("depths"),
        Compare.SEED: _("three seeds"),
        Compare.NOTHING: _("nothing: one run"),
    }[compare]


def in_words(name: str, value: Any) -> str:
    """A value in a list of its field, whose title stands beside it."""
    named: dict[object, str] = {
        Task.NUMBERS: _("translate numbers"),
        Task.COPY: _("copy letters"),
        Task.REVERSE: _("reverse letters"),
        Task.SORT: _("sort letters"),
        NormPlacement.POST: _("post-norm"),
        NormPlacement.PRE: _("pre-norm"),
        Method.ADAM: "Adam",
        Method.ADAMW: "AdamW",
        Method.RADAM: "RAdam",
        Shape.LINEAR: _("straight down to 0"),
        Shape.CONSTANT: _("constant"),
        Shape.COSINE: _("cosine"),
        Shape.INVERSE_ROOT: _("inverse square root"),
    }
    if value in named:
        return named[value]
    if name == "warm_up":
        return _("{count} steps").format(count=value) if value else _("none")
    if name == "batch":
        return _("{count} pairs").format(count=value)
    return f"{value:g}"


def names_of(runs: Sequence[LabSettings]) -> list[str]:
    """A name for each run, made of what not all of them have; of one alone, its task."""
    found = [
        ", ".join(_alone(name, value) for name, value in one.items())
        for one in differences(list(runs))
    ]
    return [name or in_words("task", run.task) for name, run in zip(found, runs, strict=True)]


def _alone(name: str, value: Any) -> str:
    """A value without its title beside it."""
    if name == "warm_up":
        if not value:
            return _("no warm-up")
        return _("warm-up of {count} steps").format(count=value)
    if name in ("peak_rate", "width", "depth", "seed", "steps"):
        phrase = {
            "peak_rate": _("peak rate {value}"),
            "width": _("width {value}"),
            "depth": _("{value} layers a side"),
            "seed": _("seed {value}"),
            "steps": _("{value} steps"),
        }[name]
        return phrase.format(value=f"{value:g}")
    return in_words(name, value)
