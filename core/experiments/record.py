"""Runs as they are kept: one line of JSON each, with all that is needed to make it again."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from core.errors import HeadlightError

VERSION: Final = 1
DIGITS: Final = 5  # of every number that is drawn
LAST_GRADIENT: Final = "last_gradient"
GRADIENT_GROWTH: Final = "gradient_growth"
COLUMNS: Final = ("step", "loss", "rate", "gradient_norm", "held_out_loss", "accuracy")

# Experiment, setting, seed, everything that the run was told, as JSON, and the device.
Identity = tuple[str, str, int, str, str]


class RecordError(HeadlightError):
    """A file of recorded runs cannot be read."""

    def __init__(self, path: Path, line: int, why: str) -> None:
        super().__init__(f"line {line} of {path} holds no recorded run: {why}")
        self.path = path
        self.line = line


@dataclass(frozen=True)
class RecordedRun:
    """One run of an experiment.

    Attributes:
        experiment, setting: which one, by their names.
        seed: of the first weights and of the batches.
        config: everything that the run was told, by name.
        device: on which it ran, in words.
        commit: of this repository; with a plus sign where files had been changed since.
        torch: its version.
        wall_seconds: from the first step to the last, looks included.
        processor_seconds: of that, what all threads of the process computed; less than the wall
            time where a machine had other work, too.
        jobs: how many runs went on side by side, this one included, as long as there were so many:
            each takes longer then than it would alone.
        reason: ``finished`` or ``diverged``.
        events: columns of equal length by the names in ``COLUMNS``, one row a look; ``None`` where
            a number was infinite.
        first_norms: gradient norm of every part of the model at the first step, before any weight
            has moved.
        measures: by name. ``loss``: on the held-out texts at the end, in nats a token;
            ``averaged_loss``: the same with averaged weights; ``last_gradient`` and
            ``gradient_growth``: see :func:`gradient_measures`.
    """

    experiment: str
    setting: str
    seed: int
    config: Mapping[str, Any]
    device: str
    commit: str
    torch: str
    wall_seconds: float
    processor_seconds: float
    jobs: int
    reason: str
    events: Mapping[str, Sequence[float | None]]
    first_norms: Mapping[str, float | None] = field(default_factory=dict)
    measures: Mapping[str, float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.events.keys() != set(COLUMNS):
            raise ValueError(f"events have the columns {', '.join(COLUMNS)}")
        if len({len(column) for column in self.events.values()}) != 1:
            raise ValueError("the columns of the events differ in length")
        if self.reason not in ("finished", "diverged"):
            raise ValueError(f"a recorded run has finished or diverged, not {self.reason!r}")

    @property
    def identity(self) -> Identity:
        """What makes two runs the same."""
        told = json.dumps(dict(self.config), sort_keys=True)
        return self.experiment, self.setting, self.seed, told, self.device

    def loss(self, measure: str = "loss") -> float:
        """A measure, a loss as a rule; infinite for a run that diverged."""
        value = None if self.reason == "diverged" else self.measures.get(measure)
        return math.inf if value is None else value

    def as_line(self) -> str:
        """The run as a line of a file, its numbers rounded to ``DIGITS`` significant digits."""
        values = {"version": VERSION, **asdict(self)}
        for name in ("events", "first_norms", "measures", "wall_seconds", "processor_seconds"):
            values[name] = _rounded(values[name])
        return json.dumps(values, allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_line(cls, line: str) -> RecordedRun:
        """The inverse of :meth:`as_line`.

        Raises:
            ValueError: the line is no run of this version.
        """
        values = json.loads(line)
        if not isinstance(values, dict) or values.pop("version", None) != VERSION:
            raise ValueError(f"it is not of version {VERSION}")
        names = {one.name for one in fields(cls)}
        if values.keys() != names:
            raise ValueError(f"it lacks or adds {', '.join(sorted(values.keys() ^ names))}")
        return cls(**values)


def read_runs(path: Path) -> list[RecordedRun]:
    """The runs of a file, in its order; none where there is no file.

    Raises:
        RecordError: a line cannot be read.
    """
    if not path.exists():
        return []
    runs = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            runs.append(RecordedRun.from_line(line))
        except (ValueError, TypeError, AttributeError) as error:
            raise RecordError(path, number, str(error)) from error
    return runs


def append_run(path: Path, run: RecordedRun) -> None:
    """Add a run to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(run.as_line() + "\n")


def losses_of(runs: Iterable[RecordedRun], setting: str, measure: str) -> list[float]:
    """The losses of a setting, one a seed, in the order of the seeds."""
    found = sorted((run for run in runs if run.setting == setting), key=lambda run: run.seed)
    return [run.loss(measure) for run in found]


def gradient_measures(first_norms: Mapping[str, float | None]) -> dict[str, float]:
    """What the gradients of the decoder's layers say before the first step.

    Both are natural logarithms, so that a difference is a factor. They are those of whole layers,
    attention included, where Xiong et al. 2020 (2002.04745), figure 3, draw feed-forward matrices.

    Returns:
        ``last_gradient``: of the norm in the last layer; ``gradient_growth``: of that norm over the
        norm in the first layer. Empty where a norm is 0 or no number.

    >>> gradient_measures({"decoder.0": 1.0, "decoder.1": 3.0, "decoder.2": 1.0})
    {'last_gradient': 0.0, 'gradient_growth': 0.0}
    """
    layers = {
        int(name.removeprefix("decoder.")): norm
        for name, norm in first_norms.items()
        if name.startswith("decoder.")
    }
    first, last = (layers[end(layers)] for end in (min, max)) if layers else (None, None)
    if not first or not last or not math.isfinite(first) or not math.isfinite(last):
        return {}
    return {LAST_GRADIENT: math.log(last), GRADIENT_GROWTH: math.log(last / first)}


def commit_of(folder: Path) -> str:
    """The commit of a checkout, with a plus sign if files differ from it; empty without git."""
    git = shutil.which("git")
    if git is None:
        return ""

    def say(*words: str) -> str | None:
        said = subprocess.run(  # noqa: S603 - no word comes from outside
            [git, "-C", str(folder), *words], capture_output=True, text=True, check=False
        )
        return said.stdout.strip() if said.returncode == 0 else None

    commit = say("rev-parse", "HEAD")
    if commit is None:
        return ""
    return f"{commit}+" if say("status", "--porcelain", "--untracked-files=no") else commit


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    return value
