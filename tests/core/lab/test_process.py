"""The lab's run as a process of its own: its events, its end, and another one beside it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SMALL = {"task": "sort", "steps": 40, "batch": 8, "width": 32, "depth": 2, "look_every": 20}
SMALL |= {"warm_up": 20}
OTHER = {**SMALL, "seed": 1, "norm": "pre"}

pytestmark = pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])


class Process:
    """`python -m core.lab`, as whoever starts it sees it."""

    def __init__(self, settings, folder, device, resume=False):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "core.lab"],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
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


def test_two_runs_side_by_side_give_the_numbers_of_each_alone(device, tmp_path):
    alone = [Process(one, tmp_path, device).rest() for one in (SMALL, OTHER)]
    assert [events[-1]["reason"] for events in alone] == ["finished", "finished"]
    assert {events[0]["device"] for events in alone} == {device}
    processes = [Process(one, tmp_path, device) for one in (SMALL, OTHER)]
    assert [process.rest() for process in processes] == alone
    losses = [[event["loss"] for event in events if "loss" in event] for events in alone]
    assert len(losses[0]) == len(losses[1]) == SMALL["steps"]
    assert losses[0] != losses[1]


def test_a_run_stops_when_told_and_goes_on_as_if_it_had_not_been_stopped(device, tmp_path):
    whole = Process(SMALL, tmp_path, device).rest()
    process = Process(SMALL, tmp_path, device)
    while process.event().get("step") != 10:
        pass
    process.say("stop")
    end = process.rest()[-1]
    assert end["reason"] == "stopped"
    assert 10 <= end["step"] < SMALL["steps"]
    again = Process(SMALL, tmp_path, device, resume=True).rest()
    assert again[0]["step"] == end["step"]
    later = [event for event in whole if event["event"] in ("step", "look")]
    assert again[1:-1] == [event for event in later if event["step"] > end["step"]]
