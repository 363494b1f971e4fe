"""One run of the lab as the app sees it: a process, and what it has told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from app.lab.record import Record
from core.lab.__main__ import STOP
from core.lab.settings import LabSettings

ROOT = Path(__file__).resolve().parents[2]

# One thread a process; and on a GPU sums in one order, too.
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
    "PYTHONIOENCODING": "utf-8",
}


class State(Enum):
    """Where a run is in its life."""

    WAITING = "waiting"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"  # and may go on
    FINISHED = "finished"
    DIVERGED = "diverged"
    FAILED = "failed"

    @property
    def active(self) -> bool:
        """Whether something is still to come by itself."""
        return self in (State.WAITING, State.RUNNING, State.STOPPING)


@dataclass(eq=False)
class Run:
    """One run; `record` and `state` may change at any time.

    Attributes:
        owner: the session that wants it.
        settings: what it does.
        folder: where it saves itself.
        number: of all runs, counted from 1, in the order of asking.
        resumed: whether it goes on from what its folder holds.
        process: while it runs.
        told_to_stop: when, by the clock.
    """

    owner: str
    settings: LabSettings
    folder: Path
    number: int
    state: State = State.WAITING
    record: Record = field(default_factory=Record)
    resumed: bool = False
    process: subprocess.Popen[bytes] | None = None
    told_to_stop: float | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, ended: Callable[[Run], None]) -> None:
        """Start the process.

        A program of its own, not a fork and not `multiprocessing`: forks break torch, and a spawned
        copy of this process would run Streamlit's script as its main module.

        Args:
            ended: called in another thread when the process is gone.
        """
        self.state = State.RUNNING
        self.process = subprocess.Popen(
            [sys.executable, "-m", "core.lab"],
            cwd=ROOT,
            env={**os.environ, **_ENVIRONMENT},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        order = {
            "settings": self.settings.as_json(),
            "folder": str(self.folder),
            "resume": self.resumed,
        }
        self._say(json.dumps(order))
        threading.Thread(
            target=self._read, args=(self.process, ended), name="headlight-lab", daemon=True
        ).start()

    def ask_to_stop(self) -> None:
        """Let the process save and end."""
        self.state, self.told_to_stop = State.STOPPING, time.monotonic()
        self._say(STOP)

    def kill(self) -> None:
        """End the process at once."""
        if self.process is not None:
            self.process.kill()

    def _say(self, line: str) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{line}\n".encode())
            self.process.stdin.flush()
        except OSError:
            pass  # it has just ended, and whoever reads from it sees that

    def _read(self, process: subprocess.Popen[bytes], ended: Callable[[Run], None]) -> None:
        assert process.stdout is not None
        try:
            with process:
                for line in process.stdout:
                    if not line.endswith(b"\n"):
                        break  # killed in the middle of a line
                    event: dict[str, Any] = json.loads(line)
                    with self.lock:
                        self.record.take(event)
        finally:
            self.process = None
            ended(self)

    def settle(self) -> None:
        """Say how the run ended, now that its process is gone."""
        end = self.record.end
        self.told_to_stop = None
        self.state = State(end["reason"]) if end else State.FAILED
