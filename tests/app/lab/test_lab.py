"""The lab's processes: numbers that do not depend on company, stop, resume, bounds."""

import csv
import io
import json
import time
from dataclasses import replace

import pytest

from app.lab import lab as lab_module
from app.lab.errors import LabFullError, TooManyRunsError
from app.lab.lab import Lab, processes_at_once
from app.lab.run import State
from core.lab.settings import LabSettings
from core.lab.tasks import Task

SMALL = LabSettings(task=Task.COPY, steps=20, warm_up=6, batch=8, width=16, depth=1, look_every=5)
LONG = replace(SMALL, steps=2_000, look_every=100)
PATIENCE_SECONDS = 240.0


class Clock:
    """A clock that only goes when it is told to."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def open_lab(monkeypatch):
    monkeypatch.setenv("HEADLIGHT_DEVICE", "cpu")
    labs = []

    def opened(at_once=2):
        labs.append(Lab(at_once, clock=Clock()))
        return labs[-1]

    yield opened
    for one in labs:
        one.close()


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "nothing happens"
        time.sleep(0.02)


def state_of(run):
    """Another thread may change it at any time."""
    return run.state


def wait_for(runs):
    wait_until(lambda: not any(run.state.active for run in runs))


def numbers(run):
    steps = [{**one, "seconds": 0} for one in run.record.steps]
    return steps, run.record.looks


def test_two_runs_side_by_side_give_the_numbers_of_each_alone(open_lab):
    lab = open_lab(2)
    wanted = [SMALL, replace(SMALL, seed=1)]
    lab.begin("both", wanted)
    both = lab.runs_of("both")
    wait_for(both)
    one = open_lab(1)
    one.begin("alone", wanted[:1])
    (single,) = one.runs_of("alone")
    wait_for([single])
    assert [run.state for run in (*both, single)] == [State.FINISHED] * 3
    assert numbers(both[0]) == numbers(single)
    assert numbers(both[0]) != numbers(both[1])
    assert both[0].record.start["machine"] == "cpu, 1 thread"
    assert_every_step_is_in_the_files_of(single)


def test_a_stopped_run_saves_itself_and_goes_on_to_the_same_numbers(open_lab):
    lab = open_lab(1)
    lab.begin("reader", [LONG])
    (run,) = lab.runs_of("reader")
    stop_after(lab, run, 3)
    stopped_at = run.record.step
    lab.resume(run)
    stop_after(lab, run, stopped_at + 3)
    steps, _ = numbers(run)
    assert [one["step"] for one in steps] == list(range(1, run.record.step + 1))
    lab.begin("again", [run.settings])
    (whole,) = lab.runs_of("again")
    stop_after(lab, whole, run.record.step)
    assert numbers(whole)[0][: len(steps)] == steps


def stop_after(lab, run, step):
    """Stop a run that has taken some steps; its end is far away."""
    wait_until(lambda: run.record.step >= step)
    lab.stop(run)
    wait_for([run])
    assert state_of(run) is State.STOPPED
    assert lab.processes() == 0


def test_no_more_processes_than_the_bound_and_readers_take_turns(open_lab):
    lab = open_lab(1)
    lab.begin("first", [LONG, LONG])
    lab.begin("second", [LONG])
    first, second = lab.runs_of("first"), lab.runs_of("second")
    assert lab.processes() == 1
    assert [run.state for run in first] == [State.RUNNING, State.WAITING]
    # The second reader has nothing yet, so the second run of the first one comes after.
    assert (lab.place_of(second[0]), lab.place_of(first[1])) == (0, 1)
    lab.stop(first[1])
    assert state_of(first[1]) is State.STOPPED
    wait_until(lambda: first[0].record.step >= 1)
    lab.stop(first[0])
    wait_until(lambda: second[0].state is State.RUNNING)
    assert lab.processes() == 1


def test_a_full_lab_says_so_and_nothing_changes(open_lab, monkeypatch):
    monkeypatch.setattr(lab_module, "MOST_WAITING", 2)
    lab = open_lab(0)
    lab.begin("first", [SMALL, SMALL])
    with pytest.raises(LabFullError, match="2 runs are waiting"):
        lab.begin("second", [SMALL])
    assert lab.runs_of("second") == []
    with pytest.raises(TooManyRunsError):
        lab.begin("first", [SMALL] * 5)
    assert len(lab.runs_of("first")) == 2


def test_who_is_away_computes_nothing_and_is_forgotten_in_the_end(open_lab):
    lab = open_lab(1)
    lab.begin("reader", [LONG])
    (run,) = lab.runs_of("reader")
    wait_until(lambda: run.record.step >= 1)
    lab._clock.now += lab_module.SECONDS_AWAY / 2
    lab.tidy()
    assert state_of(run) is State.RUNNING
    lab._clock.now += lab_module.SECONDS_AWAY
    lab.tidy()
    wait_for([run])
    assert state_of(run) is State.STOPPED
    assert lab.processes() == 0
    assert run.folder.is_dir()
    lab._clock.now += lab_module.SECONDS_KEPT
    lab.tidy()
    assert lab.runs_of("reader") == []
    assert not run.folder.exists()


def test_new_runs_replace_the_earlier_ones_whose_processes_end(open_lab):
    lab = open_lab(1)
    lab.begin("reader", [LONG])
    (earlier,) = lab.runs_of("reader")
    process = earlier.process
    lab.begin("reader", [SMALL])
    (later,) = lab.runs_of("reader")
    wait_until(lambda: later.state is State.RUNNING)
    assert process.poll() is not None


def test_closing_ends_every_process(open_lab):
    lab = open_lab(2)
    lab.begin("reader", [LONG, LONG])
    processes = [run.process for run in lab.runs_of("reader")]
    lab.close()
    assert all(process.poll() is not None for process in processes)


def test_the_bound_follows_the_machine_and_the_environment(monkeypatch):
    monkeypatch.delenv("HEADLIGHT_LAB_RUNS", raising=False)
    assert 1 <= processes_at_once() <= lab_module.MOST_AT_ONCE
    monkeypatch.setenv("HEADLIGHT_LAB_RUNS", "7")
    assert processes_at_once() == 7


def assert_every_step_is_in_the_files_of(run):
    rows = list(csv.DictReader(io.StringIO(run.record.csv())))
    assert [int(row["step"]) for row in rows] == list(range(1, 21))
    assert rows[1]["accuracy"] is None
    assert float(rows[4]["accuracy"]) == run.record.looks[1]["accuracy"]
    assert float(rows[4]["gradient_norm encoder.0"]) > 0
    assert float(rows[4]["entropy cross layer 0 head 3"]) > 0
    lines = [json.loads(line) for line in run.record.json_lines().splitlines()]
    assert lines[0]["settings"] == SMALL.as_json()
    assert lines[-1]["reason"] == "finished"
    assert [line["event"] for line in lines[1:4]] == ["step", "look", "step"]
    assert run.record.maps()["cross"].sum(-1) == pytest.approx(1.0, abs=0.03)
