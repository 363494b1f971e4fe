"""The table of experiments, their runs, and the command that makes them."""

import json
import math
import os
import signal
from dataclasses import dataclass, replace
from itertools import product

import pytest
import torch

from core.__main__ import main
from core.device import device_in_words
from core.errors import ConfigError
from core.experiments import table
from core.experiments.kept import path_of
from core.experiments.record import gradient_measures, read_runs
from core.experiments.run import ExperimentRun, config_of, settings_of, shorter
from core.experiments.side_by_side import Job, LostRunError, record_all
from core.experiments.table import EXPERIMENTS, Experiment, Setting, experiment_of
from core.experiments.verdict import Comparison, Outcome, Relation, SettingMeasure
from core.lab.tasks import Task, pairs_of

SMALL = {"task": "copy", "depth": 1, "width": 16, "batch": 4, "steps": 12, "look_every": 5}
SMALL |= {"warm_up": 2, "peak_rate": 1e-3}
TINY = Experiment(
    "tiny",
    "nowhere",
    SMALL,
    (Setting("slow", {"peak_rate": 1e-5}), Setting("fast", {"peak_rate": 2e-2}, averaged=2)),
    (Comparison(SettingMeasure("fast"), Relation.BETTER, SettingMeasure("slow")),),
)


@dataclass(frozen=True)
class Killed(Job):
    """As if the machine had had no memory left."""

    def record(self, device, jobs):
        os.kill(os.getpid(), signal.SIGKILL)


def numbers_of(run):
    """All but what depends on how much else the machine had to do."""
    return replace(run, wall_seconds=0.0, processor_seconds=0.0, jobs=1)


def recorded(setting, seed=0, **changes):
    lab = settings_of(TINY, setting, seed, changes)
    return ExperimentRun(setting, lab, "cpu").record("tiny")


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS.keys())
def test_every_experiment_can_be_trained_and_judged(experiment):
    names = [setting.name for setting in experiment.settings]
    assert len(set(names)) == len(names)
    told = [
        json.dumps(config_of(settings_of(experiment, setting, 0), setting))
        for setting in experiment.settings
    ]
    assert len(set(told)) == len(told), "two settings are the same"
    averaged = {one.name for one in experiment.settings if one.averaged > 1}
    always = {"loss", "last_gradient", "gradient_growth"}
    for comparison in experiment.claim:
        for side in (comparison.first, comparison.second):
            assert side.setting in names
            assert side.measure in always or side.setting in averaged
    for setting in experiment.settings:
        assert shorter(pairs_of(Task(experiment.lab["task"])).trained, setting.longest)


def test_the_first_finding_has_both_norms_with_and_without_warm_up_and_radam_without():
    experiment = experiment_of("warm-up")
    told = [settings_of(experiment, setting, 0) for setting in experiment.settings]
    assert {(lab.norm.value, lab.method.value, lab.warm_up) for lab in told} == {
        *product(("post", "pre"), ("adam",), (0, 200)),
        ("post", "radam", 0),
    }


def test_gradients_before_the_first_step_are_compared_as_factors():
    norms = {"embedding": 9.0, "encoder.0": 5.0, "decoder.0": 0.5, "decoder.10": 2.0}
    measures = gradient_measures({**norms, "decoder.9": 7.0})
    assert measures["last_gradient"] == pytest.approx(math.log(2))
    assert measures["gradient_growth"] == pytest.approx(math.log(4))
    for missing in ({}, {"decoder.0": 0.0}, {"decoder.0": None}, {"decoder.0": math.inf}):
        assert gradient_measures(missing) == {}


def test_an_unknown_experiment_is_refused_by_name():
    with pytest.raises(ConfigError, match="no experiment 'nobody'; there are warm-up,"):
        experiment_of("nobody")


def test_a_run_is_recorded_whole_and_comes_out_the_same_again():
    run = recorded(Setting("fast"))
    assert run.events["step"] == [5, 10, 12]
    assert run.events["rate"] == pytest.approx([1e-3 * 0.8, 1e-3 * 0.3, 1e-3 * 0.1])
    assert run.measures["loss"] == run.events["held_out_loss"][-1]
    assert all(norm > 0 for norm in run.first_norms.values())
    assert {"embedding", "encoder.0", "decoder.0"} <= run.first_norms.keys()
    assert (run.torch, run.reason) == (torch.__version__, "finished")
    assert run.device.startswith(f"cpu, {torch.get_num_threads()} thread")
    assert run.processor_seconds > 0
    assert run.measures["gradient_growth"] == 0  # of one layer
    again = recorded(Setting("fast"))
    assert (again.events, again.measures) == (run.events, run.measures)
    assert recorded(Setting("fast"), seed=1).measures != run.measures


def test_accumulation_reads_several_batches_a_step_and_a_short_limit_fewer_pairs():
    one, two = recorded(Setting("one")), recorded(Setting("two", accumulate=2))
    assert one.events["loss"] != two.events["loss"]
    setting = Setting("short", longest=6)
    run = ExperimentRun(setting, settings_of(TINY, setting, 0), "cpu")
    sizes = run.objective.texts.source_sizes[0]
    assert int(sizes.max()) == 6
    assert 0 < len(sizes) < len(pairs_of(Task.COPY).trained)
    with pytest.raises(ConfigError, match="at most 2 tokens"):
        shorter(pairs_of(Task.COPY).trained, 2)


def test_the_mean_of_two_looks_is_measured_and_the_last_weights_stay():
    setting = Setting("fast", averaged=2)
    run = ExperimentRun(setting, settings_of(TINY, setting, 0), "cpu")
    measures = run.record("tiny").measures
    assert measures["averaged_loss"] != measures["loss"]
    last, before = run.weights[1], run.weights[0]
    for name, tensor in run.model.state_dict().items():
        assert torch.equal(tensor, last[name])
    mean = {name: (before[name] + last[name]) / 2 for name in last}
    run.model.load_state_dict(mean)
    assert run._held_out()[0] == pytest.approx(measures["averaged_loss"], rel=1e-5)


def test_a_run_that_diverges_says_so():
    class Broken(ExperimentRun):
        def _held_out(self):
            # As if a step had thrown the weights out of all bounds.
            with torch.no_grad():
                next(self.model.parameters()).fill_(math.inf)
            return math.inf, 0.0

    setting = Setting("wild")
    run = Broken(setting, settings_of(TINY, setting, 0), "cpu").record("tiny")
    assert run.reason == "diverged"
    assert run.loss() == math.inf
    assert run.events["held_out_loss"] == [None]


def test_the_command_records_once_and_judges(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(table, "EXPERIMENTS", {"tiny": TINY})
    command = ["experiments", "tiny", "--out", str(tmp_path), "--device", "cpu"]
    assert main(command) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[-1])
    runs = read_runs(tmp_path / "tiny.jsonl")
    assert [(run.setting, run.seed) for run in runs] == [
        (name, seed) for seed in range(3) for name in ("slow", "fast")
    ]
    assert first["verdict"] == TINY.verdict(runs).outcome.value == Outcome.REPRODUCED.value
    written = (tmp_path / "tiny.jsonl").read_bytes()
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == first
    assert (tmp_path / "tiny.jsonl").read_bytes() == written
    # What another device made is made again, and other steps are other runs.
    made_elsewhere = [replace(run, device="elsewhere") for run in runs]
    (tmp_path / "tiny.jsonl").write_text("".join(f"{run.as_line()}\n" for run in made_elsewhere))
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == first
    assert (tmp_path / "tiny.jsonl").read_text().count("cpu, 1 thread") == 6
    (tmp_path / "tiny.jsonl").write_bytes(written)
    assert main([*command, "--steps", "10"]) == 0
    assert len(read_runs(tmp_path / "tiny.jsonl")) == 12


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_runs_side_by_side_give_the_numbers_of_one_after_another(
    tmp_path, monkeypatch, capsys, device
):
    other = replace(TINY, name="other", lab={**SMALL, "task": "sort"})
    monkeypatch.setattr(table, "EXPERIMENTS", {"tiny": TINY, "other": other})
    command = ["experiments", "all", "--device", device, "--commit", "a" * 40]
    assert main([*command, "--out", str(tmp_path / "alone")]) == 0
    alone = capsys.readouterr().out
    assert main([*command, "--out", str(tmp_path / "beside"), "--jobs", "2"]) == 0
    assert capsys.readouterr().out == alone
    assert [json.loads(line)["experiment"] for line in alone.splitlines()] == ["tiny", "other"]
    for experiment in (TINY, other):
        first, second = (
            sorted(
                read_runs(path_of(experiment, tmp_path / folder)),
                key=lambda run: run.identity,
            )
            for folder in ("alone", "beside")
        )
        assert ({run.jobs for run in first}, {run.jobs for run in second}) == ({1}, {2})
        for run in (*first, *second):
            assert run.commit == "a" * 40
            assert run.device == device_in_words(torch.device(device))
        assert [numbers_of(run) for run in first] == [numbers_of(run) for run in second]


def test_a_run_whose_process_is_killed_is_missed():
    job = Job("tiny", Setting("fast"), settings_of(TINY, Setting("fast"), 0))
    with pytest.raises(LostRunError, match="ended from outside"):
        list(record_all([job, Killed("tiny", job.setting, job.lab)], torch.device("cpu"), 2))


def test_the_longest_runs_begin_first():
    lab = settings_of(TINY, Setting("one"), 0)
    works = [
        Job("tiny", setting, replace(lab, depth=depth)).work
        for setting, depth in ((Setting("one"), 1), (Setting("two", accumulate=3), 2))
    ]
    assert works == [12, 72]


def test_the_command_lists_experiments_and_refuses_what_it_cannot_do(capsys):
    assert main(["experiments"]) == 0
    listed = capsys.readouterr().out
    assert [line.split()[0] for line in listed.splitlines()] == list(EXPERIMENTS)
    assert main(["experiments", "nobody"]) == 2
    assert main(["experiments", "warm-up", "--seeds", "0"]) == 2
    assert "the number of seeds must be" in capsys.readouterr().err
    assert main(["experiments", "warm-up", "--jobs", "0"]) == 2
    assert "the runs side by side (--jobs) must be" in capsys.readouterr().err
    assert main(["experiments", "warm-up", "--commit", "HEAD"]) == 2
    assert "40 hexadecimal digits" in capsys.readouterr().err
