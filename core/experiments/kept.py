"""The runs that come with the code, and which of them are those of an experiment as it is now."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from core.experiments.record import RecordedRun, read_runs
from core.experiments.run import config_of, settings_of
from core.experiments.table import Experiment

FOLDER: Final = Path(__file__).resolve().parents[2] / "assets" / "runs" / "experiments"


def path_of(experiment: Experiment, folder: Path = FOLDER) -> Path:
    """The file of an experiment's runs; it need not be there."""
    return folder / f"{experiment.name}.jsonl"


def kept_runs(experiment: Experiment, folder: Path = FOLDER) -> tuple[RecordedRun, ...]:
    """What has been recorded of an experiment, setting by setting, each in the order of its seeds.

    Raises:
        core.experiments.record.RecordError: a line cannot be read.
    """
    return runs_of(experiment, read_runs(path_of(experiment, folder)))


def runs_of(experiment: Experiment, runs: Iterable[RecordedRun]) -> tuple[RecordedRun, ...]:
    """Those runs that were told exactly what the experiment tells today, all from one device.

    Runs with other numbers of steps, or of a setting that has changed since, say nothing of its
    claim. Of two with the same seed the later one counts. Devices draw other batches from the same
    seed, so that their runs are not mixed: those of the device count that has most of them, and if
    two have as many, of the one that made the last.
    """
    told = {
        setting.name: json.dumps(
            config_of(settings_of(experiment, setting, 0), setting), sort_keys=True
        )
        for setting in experiment.settings
    }
    made: dict[str, dict[tuple[str, int], RecordedRun]] = {}
    for run in runs:
        config = json.dumps(dict(run.config), sort_keys=True)
        if run.experiment == experiment.name and told.get(run.setting) == config:
            # The device that made this one comes last from now on.
            made[run.device] = {**made.pop(run.device, {}), (run.setting, run.seed): run}
    found = max(reversed(made.values()), key=len, default={})
    order = list(told)
    return tuple(found[key] for key in sorted(found, key=lambda key: (order.index(key[0]), key[1])))
