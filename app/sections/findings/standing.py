"""What is known of each finding: its runs, and what the rule says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path

from core.experiments.kept import FOLDER, kept_runs, path_of
from core.experiments.record import RecordedRun
from core.experiments.table import EXPERIMENTS, Experiment
from core.experiments.verdict import Outcome, TooFewSeedsError, Verdict


class State(Enum):
    """Where a finding stands: an outcome of the rule, or why there is none."""

    REPRODUCED = Outcome.REPRODUCED.value
    NOT_HERE = Outcome.NOT_HERE.value
    CONTRARY = Outcome.CONTRARY.value
    UNDECIDED = "too few seeds"
    UNRECORDED = "not recorded"


@dataclass(frozen=True, eq=False)  # one is another when its file was read again
class Standing:
    """One finding.

    Attributes:
        experiment: what is compared, and the claim.
        runs: recorded with today's settings.
        verdict: ``None`` while a setting that the claim speaks of has too few seeds.
    """

    experiment: Experiment
    runs: tuple[RecordedRun, ...]
    verdict: Verdict | None

    @property
    def state(self) -> State:
        """What follows from the runs; nothing else decides."""
        if self.verdict is not None:
            return State(self.verdict.outcome.value)
        return State.UNDECIDED if self.runs else State.UNRECORDED

    def runs_of(self, setting: str) -> list[RecordedRun]:
        """The runs of a setting, in the order of their seeds."""
        return [run for run in self.runs if run.setting == setting]


def standing_of(experiment: Experiment, runs: Sequence[RecordedRun]) -> Standing:
    """What these runs, all of this experiment, say of it."""
    try:
        return Standing(experiment, tuple(runs), experiment.verdict(runs))
    except TooFewSeedsError:
        return Standing(experiment, tuple(runs), None)


def standings(folder: Path = FOLDER) -> tuple[Standing, ...]:
    """All findings, in the order of the table of experiments."""
    return tuple(
        _read(name, folder, _stamp_of(path_of(one, folder))) for name, one in EXPERIMENTS.items()
    )


# The stamp is of the file, so that a file that has grown is read again.
@lru_cache(maxsize=32)
def _read(name: str, folder: Path, _stamp: tuple[int, int]) -> Standing:
    experiment = EXPERIMENTS[name]
    return standing_of(experiment, kept_runs(experiment, folder))


def _stamp_of(path: Path) -> tuple[int, int]:
    if not path.exists():
        return (0, 0)
    told = path.stat()
    return (told.st_mtime_ns, told.st_size)
