"""Several runs at a time, each in a process of its own: the numbers are those of one at a time."""

from __future__ import annotations

import json
import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

import torch

from core.device import in_one_order
from core.errors import HeadlightError
from core.experiments.record import Identity, RecordedRun
from core.experiments.run import ExperimentRun, config_of
from core.experiments.table import Setting
from core.lab.settings import LabSettings


class LostRunError(HeadlightError):
    """A process ended without having told what it was to find."""

    def __init__(self) -> None:
        super().__init__(
            "the process of a run was ended from outside, perhaps for want of memory; what was"
            " finished is kept, and fewer --jobs need less"
        )


@dataclass(frozen=True)
class Job:
    """One run to be made.

    Attributes:
        experiment: by its name.
        setting: of that experiment.
        lab: everything else, the seed included.
        commit: of this code; empty: git is asked.
    """

    experiment: str
    setting: Setting
    lab: LabSettings
    commit: str = ""

    @property
    def work(self) -> int:
        """What it costs, in layers that read a batch."""
        return self.lab.steps * self.lab.depth * self.setting.accumulate

    def identity(self, device: str) -> Identity:
        """That of the run, made on a device that is called so."""
        told = json.dumps(config_of(self.lab, self.setting), sort_keys=True)
        return self.experiment, self.setting.name, self.lab.seed, told, device

    def record(self, device: str, jobs: int) -> RecordedRun:
        """Make the run."""
        run = ExperimentRun(self.setting, self.lab, device)
        return run.record(self.experiment, self.commit, jobs)


def record_all(jobs: Sequence[Job], device: torch.device, at_once: int) -> Iterator[RecordedRun]:
    """Make all runs; those that are finished come first.

    Args:
        jobs: in the order in which they begin if one runs at a time; of several at a time the
            longest begins first, so that none is waited for alone in the end.
        device: where; several runs share all GPUs if it is a GPU without a number.
        at_once: how many runs at a time; 1: in this process.

    Raises:
        LostRunError: a process was ended from outside.
    """
    at_once = min(at_once, len(jobs))
    if at_once <= 1:
        for job in jobs:
            yield job.record(str(device), 1)
        return
    devices = [str(device)]
    if device.type == "cuda" and device.index is None:
        devices = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    # Forks break torch, and a fork cannot use a GPU that this process has used.
    spawned = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(at_once, mp_context=spawned, initializer=_prepare)
    try:
        begun = [
            pool.submit(job.record, devices[number % len(devices)], at_once)
            for number, job in enumerate(sorted(jobs, key=lambda job: -job.work))
        ]
        for one in as_completed(begun):
            yield one.result()
    except BrokenProcessPool as error:
        raise LostRunError from error
    finally:
        pool.shutdown(cancel_futures=True)


def _prepare() -> None:
    # Ctrl-C ends it without a word: the process that waits for it has one to say.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    in_one_order()
