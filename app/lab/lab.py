"""All runs of all readers, within bounds: how many compute at once, wait, and are kept."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path

from app.lab.errors import LabFullError, TooManyRunsError
from app.lab.run import Run, State
from core.lab.settings import LabSettings

MOST_OF_ONE_READER = 4
MOST_WAITING = 32
MOST_READERS = 256  # a run of 2,000 steps holds about 1 MB
MOST_AT_ONCE = 4
SECONDS_TO_STOP = 10.0
SECONDS_AWAY = 300.0  # a reader who is away for longer computes nothing any more
SECONDS_KEPT = 1_800.0  # and after these the curves are gone, too
SECONDS_BETWEEN_ROUNDS = 1.0


def processes_at_once() -> int:
    """How many runs compute at the same time: as many as the machine has processors, at most 4.

    `HEADLIGHT_LAB_RUNS` says otherwise.
    """
    wanted = os.environ.get("HEADLIGHT_LAB_RUNS", "").strip()
    return int(wanted) if wanted.isdecimal() else min(MOST_AT_ONCE, os.cpu_count() or 1)


@dataclass
class _Reader:
    seen: float
    runs: list[Run] = field(default_factory=list)


class Lab:
    """The runs of one app. Every method may be called from any thread.

    Args:
        at_once: most processes at the same time.
        clock: seconds since some moment.
    """

    def __init__(self, at_once: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._at_once = at_once
        self._clock = clock
        self._lock = threading.RLock()
        self._readers: dict[str, _Reader] = {}
        self._gone: list[Run] = []  # forgotten, but their processes have not ended yet
        self._numbers = count(1)
        self._folder = Path(tempfile.mkdtemp(prefix="headlight-lab-"))
        self._closed = threading.Event()
        atexit.register(self.close)
        threading.Thread(target=self._watch, name="headlight-lab-rounds", daemon=True).start()

    def begin(self, owner: str, wanted: Sequence[LabSettings]) -> None:
        """Start these runs for a reader, or let them wait; the reader's earlier ones are dropped.

        Raises:
            TooManyRunsError: more than one picture holds.
            LabFullError: too many wait already. Nothing has changed then.
        """
        if len(wanted) > MOST_OF_ONE_READER:
            raise TooManyRunsError(len(wanted), MOST_OF_ONE_READER)
        with self._lock:
            waiting = [run for run in self._all(State.WAITING) if run.owner != owner]
            if len(waiting) + len(wanted) > MOST_WAITING:
                raise LabFullError(len(waiting))
            self._forget(owner)
            runs = []
            for settings in wanted:
                number = next(self._numbers)
                folder = self._folder / str(number)
                runs.append(Run(owner, settings, folder, number))
            self._readers[owner] = _Reader(self._clock(), runs)
            while len(self._readers) > MOST_READERS:
                self._forget(min(self._readers, key=lambda one: self._readers[one].seen))
            self._fill()

    def runs_of(self, owner: str) -> list[Run]:
        """A reader's runs, in their order. The reader is there: that is noted."""
        with self._lock:
            reader = self._readers.get(owner)
            if reader is None:
                return []
            reader.seen = self._clock()
            return list(reader.runs)

    def place_of(self, run: Run) -> int:
        """How many runs of all readers wait before this one."""
        with self._lock:
            order = self._order()
            return order.index(run) if run in order else 0

    def stop(self, run: Run) -> None:
        """Let a run save itself and end; one that waits does not begin."""
        with self._lock:
            if run.state is State.WAITING:
                run.state = State.STOPPED
            elif run.state is State.RUNNING:
                run.ask_to_stop()

    def resume(self, run: Run) -> None:
        """Let a stopped run go on where it was, as soon as there is room."""
        with self._lock:
            if run.state is State.STOPPED:
                run.resumed = run.record.step > 0
                run.state = State.WAITING
                self._fill()

    def forget(self, owner: str) -> None:
        """End what a reader's runs compute, and drop what they told."""
        with self._lock:
            self._forget(owner)
            self._fill()

    def processes(self) -> int:
        """How many processes there are now."""
        with self._lock:
            return len(self._busy())

    def tidy(self) -> None:
        """Stop the runs of readers who are away, drop those of readers who are gone."""
        now = self._clock()
        with self._lock:
            for owner, reader in list(self._readers.items()):
                away = now - reader.seen
                if away > SECONDS_KEPT:
                    self._forget(owner)
                elif away > SECONDS_AWAY:
                    for run in reader.runs:
                        self.stop(run)
            for run in self._all(State.STOPPING):
                since = run.told_to_stop
                if since is not None and time.monotonic() - since > SECONDS_TO_STOP:
                    run.kill()
            self._fill()

    def close(self) -> None:
        """End every process and delete every file."""
        self._closed.set()
        with self._lock:
            for owner in list(self._readers):
                self._forget(owner)
            for process in [run.process for run in self._gone]:
                if process is not None:
                    process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _watch(self) -> None:
        while not self._closed.wait(SECONDS_BETWEEN_ROUNDS):
            self.tidy()

    # What follows is called with the lock held.

    def _all(self, *states: State) -> list[Run]:
        runs = [run for reader in self._readers.values() for run in reader.runs]
        return [run for run in runs if run.state in states]

    def _busy(self) -> list[Run]:
        return [run for run in (*self._all(*State), *self._gone) if run.process is not None]

    def _order(self) -> list[Run]:
        """Who waits, the next one first: readers with fewer processes, then who asked earlier."""
        busy = Counter(run.owner for run in self._busy())
        turn: Counter[str] = Counter()
        keys = {}
        for run in sorted(self._all(State.WAITING), key=lambda run: run.number):
            keys[run] = (busy[run.owner] + turn[run.owner], run.number)
            turn[run.owner] += 1
        return sorted(keys, key=lambda run: keys[run])

    def _fill(self) -> None:
        while not self._closed.is_set() and len(self._busy()) < self._at_once:
            order = self._order()
            if not order:
                return
            order[0].start(self._ended)

    def _forget(self, owner: str) -> None:
        reader = self._readers.pop(owner, None)
        for run in reader.runs if reader else []:
            run.kill()
            if run.process is None:
                shutil.rmtree(run.folder, ignore_errors=True)
            else:
                self._gone.append(run)

    def _ended(self, run: Run) -> None:
        with self._lock:
            run.settle()
            if run in self._gone:
                self._gone.remove(run)
                shutil.rmtree(run.folder, ignore_errors=True)
            self._fill()


@cache
def lab() -> Lab:
    """The lab of this process."""
    return Lab(processes_at_once())


def close_lab() -> None:
    """End what the lab of this process computes, if there is one."""
    if lab.cache_info().currsize:
        lab().close()
