"""``experiments``: train all settings of an experiment, and say what follows for its claim."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import ConfigError

if TYPE_CHECKING:
    from core.experiments.verdict import Verdict


def add_parser(commands: Any) -> None:
    """Describe the verb."""
    parser = commands.add_parser(
        "experiments",
        help="make the recorded runs of an experiment",
        description=(
            "Train every setting of an experiment with several seeds, and add the runs to a file"
            " of JSON lines. What is there already is not trained again. The last line of the"
            " output is the verdict as JSON. Without a name: the list of experiments."
        ),
    )
    parser.add_argument("name", nargs="?", metavar="NAME")
    parser.add_argument(
        "--out", type=Path, help="folder of the runs (default: assets/runs/experiments)"
    )
    parser.add_argument("--seeds", type=int, default=3, help="runs a setting (default: 3)")
    parser.add_argument("--steps", type=int, help="of every run, instead of the experiment's")
    parser.add_argument("--device", default="", help="cpu, cuda or mps (default: the best)")


def run(arguments: argparse.Namespace) -> int:
    """Train what is not recorded yet; the last line on the standard output is the verdict."""
    import torch

    from core.experiments.kept import FOLDER, path_of
    from core.experiments.record import RecordedRun, append_run, read_runs
    from core.experiments.run import ExperimentRun, config_of, settings_of
    from core.experiments.table import EXPERIMENTS, experiment_of

    if arguments.name is None:
        for one in EXPERIMENTS.values():
            print(f"{one.name:<15} {len(one.settings)} settings  {one.source}")
        return 0
    if arguments.seeds < 1:
        raise ConfigError(f"an experiment has at least 1 seed, not {arguments.seeds}")
    experiment = experiment_of(arguments.name)
    # As in the lab: sums are always added up in one order.
    torch.set_num_threads(1)
    changes = {} if arguments.steps is None else {"steps": arguments.steps}
    path = path_of(experiment, arguments.out or FOLDER)
    known = {one.identity: one for one in read_runs(path)}
    runs = []
    # Seed by seed: a run that is broken off has whole comparisons.
    for seed in range(arguments.seeds):
        for setting in experiment.settings:
            lab = settings_of(experiment, setting, seed, changes)
            config = config_of(lab, setting)
            told = json.dumps(config, sort_keys=True)
            found = known.get((experiment.name, setting.name, seed, told))
            if found is None:
                made = ExperimentRun(setting, lab, arguments.device).record(experiment.name)
                append_run(path, made)
                # As it is kept: the verdict is the same when it is read again.
                found = RecordedRun.from_line(made.as_line())
            loss = found.loss()
            print(
                f"{setting.name}  seed {seed}  {found.reason}  loss {loss:.4f}"
                f"  {found.wall_seconds:.1f} s on {found.device}",
                file=sys.stderr,
            )
            runs.append(found)
    print(json.dumps(_as_json(experiment.verdict(runs))))
    return 0


def _as_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "verdict": verdict.outcome.value,
        "comparisons": [
            {
                "first": f"{one.comparison.first.setting}: {one.comparison.first.measure}",
                "is": one.comparison.relation.value,
                "second": f"{one.comparison.second.setting}: {one.comparison.second.measure}",
                "margin": one.comparison.margin,
                "holds": one.holds,
                "reversed": one.reversed,
                "losses": [
                    [loss if math.isfinite(loss) else None for loss in side]
                    for side in (one.first, one.second)
                ],
            }
            for one in verdict.compared
        ],
    }
