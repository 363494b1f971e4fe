"""The runs that come with the code: which count, and that all of them can be read and judged."""

import json
import math
from dataclasses import replace

import pytest

from core.experiments.kept import FOLDER, kept_runs, path_of, runs_of
from core.experiments.record import COLUMNS, RecordedRun, append_run, read_runs
from core.experiments.run import config_of, settings_of
from core.experiments.table import EXPERIMENTS, FACTOR, FINE_MARGIN, MARGIN, experiment_of
from core.experiments.verdict import Outcome, Relation
from core.lab.tasks import Task, pairs_of

LARGEST_BYTES = 15_000_000  # of all runs together
RECORDED = [one for one in EXPERIMENTS.values() if path_of(one).exists()]


def made_up(experiment, setting, seed, loss=1.0):
    config = config_of(settings_of(experiment, setting, seed), setting)
    events = {name: [1, 2] for name in COLUMNS}
    measures = {"loss": loss}
    told = (experiment.name, setting.name, seed, config, "cpu", "", "", 1.0, 1.0, 1, "finished")
    return RecordedRun(*told, events, {}, measures)


def test_only_runs_of_todays_settings_count_and_the_later_of_two(tmp_path):
    experiment = experiment_of("batch-size")
    small, middle, _ = experiment.settings
    runs = [
        made_up(experiment, middle, 1),
        made_up(experiment, middle, 0),
        made_up(experiment, small, 0, loss=3.0),
        made_up(experiment, small, 0, loss=2.0),
    ]
    shorter = replace(runs[0], config={**runs[0].config, "steps": 10}, seed=2)
    foreign = replace(runs[0], experiment="warm-up")
    unknown = replace(runs[0], setting="256")
    for run in (*runs, shorter, foreign, unknown):
        append_run(path_of(experiment, tmp_path), run)
    kept = kept_runs(experiment, tmp_path)
    assert [(run.setting, run.seed) for run in kept] == [("8", 0), ("32", 0), ("32", 1)]
    assert kept[0].loss() == 2.0
    assert kept_runs(experiment_of("warm-up"), tmp_path) == ()


def test_runs_of_two_devices_are_not_mixed():
    experiment = experiment_of("batch-size")
    old = [made_up(experiment, one, seed) for one in experiment.settings for seed in range(3)]
    new = [replace(run, device="gpu") for run in old]
    for runs, device, count in (
        ([*old, *new], "gpu", 9),  # new ones replace old ones
        ([*new, *old], "cpu", 9),
        ([*old, *new[:8]], "cpu", 9),  # but not before there are as many
        ([*old[:4], *new[:4], old[4]], "cpu", 5),
        ([*old[:1], *new[:1], *old[:1]], "cpu", 1),
    ):
        kept = runs_of(experiment, runs)
        assert {run.device for run in kept} == {device}
        assert len(kept) == count


def test_what_is_bundled_is_small_and_belongs_to_an_experiment():
    files = sorted(FOLDER.glob("*.jsonl"))
    assert files == sorted(path_of(one) for one in RECORDED)
    assert sum(path.stat().st_size for path in files) < LARGEST_BYTES


@pytest.mark.parametrize("experiment", RECORDED, ids=[one.name for one in RECORDED])
def test_a_recorded_run_reloads_with_all_that_makes_it_again(experiment):
    lines = path_of(experiment).read_text(encoding="utf-8").splitlines()
    runs = read_runs(path_of(experiment))
    # Nothing is lost and nothing is added; and none was told other things than the table says.
    assert [run.as_line() for run in runs] == lines
    assert sorted(runs_of(experiment, runs), key=id) == sorted(runs, key=id)
    for run in runs:
        assert "" not in (run.device, run.torch)
        assert min(run.wall_seconds, run.processor_seconds) > 0
        assert len(run.commit) == 40, "recorded with files that no commit holds"
        assert run.events["step"][-1] == run.config["steps"] or run.reason == "diverged"
    seeds = {
        one.name: {run.seed for run in runs if run.setting == one.name}
        for one in experiment.settings
    }
    assert all(found == {0, 1, 2} for found in seeds.values()), seeds


@pytest.mark.parametrize("experiment", RECORDED, ids=[one.name for one in RECORDED])
def test_the_verdict_follows_from_the_numbers_in_the_file(experiment):
    """The rule, spelt out once more from its docstring, on the lines as they stand."""
    losses: dict[tuple[str, str], dict[int, float]] = {}
    for line in path_of(experiment).read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        for measure, value in run["measures"].items():
            losses.setdefault((run["setting"], measure), {})[run["seed"]] = value
    held, opposite = [], []
    for part in experiment.claim:
        first = losses[part.first.setting, part.first.measure]
        second = losses[part.second.setting, part.second.measure]
        a, b, margin = first.values(), second.values(), part.margin
        if part.relation is Relation.AS_GOOD:
            held.append(max(a) <= max(b) + margin)
            opposite.append(min(a) > max(b) + margin)
        elif part.first.setting == part.second.setting:
            held.append(all(first[seed] + margin <= second[seed] for seed in first))
            opposite.append(all(second[seed] + margin <= first[seed] for seed in first))
        else:
            held.append(max(a) + margin <= min(b))
            opposite.append(max(b) + margin <= min(a))
    verdict = experiment.verdict(kept_runs(experiment))
    assert [one.holds for one in verdict.compared] == held
    assert [one.reversed for one in verdict.compared] == opposite
    wanted = (
        Outcome.CONTRARY if any(opposite) else Outcome.REPRODUCED if all(held) else Outcome.NOT_HERE
    )
    assert verdict.outcome is wanted


def test_the_margins_follow_from_their_reasons():
    pairs = pairs_of(Task.NUMBERS)
    tokens = sum(len(target) + 1 for _, target in pairs.held_out)
    assert tokens == 1_769
    assert pytest.approx(2 / math.sqrt(tokens), rel=0.06) == MARGIN
    assert MARGIN / math.log(len(pairs.words)) == pytest.approx(0.012, abs=5e-4)
    assert FINE_MARGIN < MARGIN
    assert math.exp(2 * FACTOR) == pytest.approx(math.sqrt(8 / 2))
