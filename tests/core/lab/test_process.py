"""The lab's run as a process of its own: its events, its end, and another one beside it.

By hand: `tests/app/lab` asks the same of these processes each time, on the CPU, through the app.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SMALL = {"task": "sort", "steps": 12, "batch": 8, "width": 32, "depth": 2, "look_every": 6}
SMALL |= {"warm_up": 6}
OTHER = {**SMALL, "seed": 1, "norm": "pre"}
LONG = {**SMALL, "steps": 2_000}  # is stopped long before

pytestmark = [
    pytest.mark.slow,
    pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]),
]


class Process:
    """`python -m core.lab`, as whoever starts it sees it."""

    def __init__(self, settings, folder, device, resume=False):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "core.lab"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.ours, self.theirs = self.process.stdin, self.process.stdout
        order = {"settings": settings, "folder": str(folder), "device": device, "resume": resume}
        self.say(json.dumps(order))

    def say(self, line):
        self.ours.write(f"{line}\n")
        self.ours.flush()

    def event(self):
        return json.loads(self.theirs.readline())

    def rest(self):
        """All events that are still to come, without what depends on the clock."""
        with self.process:
            events = [json.loads(line) for line in self.theirs]
        assert self.process.returncode == 0
        return [{**event, "seconds": 0} for event in events]

    def until(self, step):
        """The same of a run that is told to stop once it has taken a step."""
        events = [self.event()]
        while events[-1].get("step") != step or events[-1]["event"] != "step":
            events.append(self.event())
        self.say("stop")
        return [{**event, "seconds": 0} for event in events] + self.rest()


def test_two_runs_side_by_side_give_the_numbers_of_each_alone(device, tmp_path):
    alone = Process(SMALL, tmp_path, device).rest()
    assert alone[0]["device"] == device
    assert alone[-1]["reason"] == "finished"
    first, second = (
        process.rest() for process in [Process(one, tmp_path, device) for one in (SMALL, OTHER)]
    )
    assert first == alone
    losses = [[event["loss"] for event in events if "loss" in event] for events in (first, second)]
    assert len(losses[0]) == len(losses[1]) == SMALL["steps"]
    assert losses[0] != losses[1]


def test_a_run_stops_when_told_and_goes_on_as_if_it_had_not_been_stopped(device, tmp_path):
    end = Process(LONG, tmp_path, device).until(5)[-1]
    assert end["reason"] == "stopped"
    assert 5 <= end["step"] < LONG["steps"]
    again = Process(LONG, tmp_path, device, resume=True).until(end["step"] + 8)
    assert again[0]["step"] == end["step"]
    last = again[-1]["step"]
    whole = Process(LONG, tmp_path / "whole", device).until(last)

    def of_both(events):
        measured = [event for event in events if event["event"] in ("step", "look")]
        return [event for event in measured if end["step"] < event["step"] <= last]

    assert of_both(again) == of_both(whole)
    assert len(of_both(again)) > 8  # with a look among them
