"""``experiments``: train all settings of experiments, and say what follows for their claims."""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.bounds import require
from core.errors import ConfigError

if TYPE_CHECKING:
    from core.experiments.record import RecordedRun
    from core.experiments.verdict import Verdict

ALL = "all"


def add_parser(commands: Any) -> None:
    """Describe the verb."""
    parser = commands.add_parser(
        "experiments",
        help="make the recorded runs of experiments",
        description=(
            "Train every setting of one or several experiments with several seeds, and add the"
            " runs to a file of JSON lines each. What is there already from such a device is not"
            " trained again. The last lines of the output are the verdicts as JSON, one an"
            " experiment. Without a name: the list of experiments."
        ),
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"or `{ALL}`")
    parser.add_argument(
        "--out", type=Path, help="folder of the runs (default: assets/runs/experiments)"
    )
    parser.add_argument("--seeds", type=int, default=3, help="runs a setting (default: 3)")
    parser.add_argument("--steps", type=int, help="of every run, instead of the experiment's")
    parser.add_argument("--device", default="", help="cpu, cuda or mps (default: the best)")
    parser.add_argument(
        "--jobs",
        type=int,
        default=1,
        help="runs side by side, on all GPUs if there are several (default: 1)",
    )
    parser.add_argument(
        "--commit",
        default="",
        help="of this code, where git cannot say (default: what git says)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Train what is not recorded yet; the last lines on the standard output are the verdicts."""
    from core.device import device_in_words, in_one_order, pick_device
    from core.experiments.kept import FOLDER, path_of
    from core.experiments.record import RecordedRun, append_run, read_runs
    from core.experiments.run import settings_of
    from core.experiments.side_by_side import Job, record_all
    from core.experiments.table import EXPERIMENTS, experiment_of

    if not arguments.names:
        for one in EXPERIMENTS.values():
            print(f"{one.name:<15} {len(one.settings)} settings  {one.source}")
        return 0
    _check(arguments)
    names = EXPERIMENTS if ALL in arguments.names else dict.fromkeys(arguments.names)
    folder = arguments.out or FOLDER
    experiments = [experiment_of(name) for name in names]
    in_one_order()
    device = pick_device(arguments.device)
    changes = {} if arguments.steps is None else {"steps": arguments.steps}
    # Seed by seed: what is broken off has whole comparisons.
    jobs = [
        Job(one.name, setting, settings_of(one, setting, seed, changes), arguments.commit)
        for seed in range(arguments.seeds)
        for one in experiments
        for setting in one.settings
    ]
    known = {run.identity: run for one in experiments for run in read_runs(path_of(one, folder))}
    wanted = [job.identity(device_in_words(device)) for job in jobs]
    for name in wanted:
        if name in known:
            _report(known[name])
    missing = [job for job, name in zip(jobs, wanted, strict=True) if name not in known]
    for made in record_all(missing, device, arguments.jobs):
        append_run(path_of(experiment_of(made.experiment), folder), made)
        # As it is kept: the verdict is the same when it is read again.
        known[made.identity] = RecordedRun.from_line(made.as_line())
        _report(made)
    for one in experiments:
        runs = [known[name] for name in wanted if name[0] == one.name]
        print(json.dumps({"experiment": one.name, **_as_json(one.verdict(runs))}))
    return 0


def _check(arguments: argparse.Namespace) -> None:
    require(seeds=arguments.seeds, jobs=arguments.jobs, steps=arguments.steps)
    if arguments.commit and not re.fullmatch(r"[0-9a-f]{40}\+?", arguments.commit):
        raise ConfigError(f"a commit has 40 hexadecimal digits, unlike {arguments.commit!r}")


def _report(run: RecordedRun) -> None:
    print(
        f"{run.experiment}  {run.setting}  seed {run.seed}  {run.reason}  loss {run.loss():.4f}"
        f"  {run.wall_seconds:.1f} s on {run.device}",
        file=sys.stderr,
        flush=True,
    )


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
