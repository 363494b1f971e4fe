"""What an engine promises. A page knows these protocols and none of their implementations.

A request is a frozen dataclass of plain values that names its checkpoint, so that an engine may
send it to another process or machine; results are plain values and numpy arrays.
"""

from __future__ import annotations

from enum import Enum
from typing import Protocol, TypeVar

from core.checkpoints import Checkpoint

ResultT = TypeVar("ResultT")
ResultT_co = TypeVar("ResultT_co", covariant=True)


class Request(Protocol[ResultT_co]):
    """Something to compute. The class is the request's kind."""

    @property
    def checkpoint(self) -> str:
        """Name of the model to run on."""
        ...

    def run(self, checkpoint: Checkpoint) -> ResultT_co:
        """Compute the answer; called by the engine, where the model is."""
        ...


class TicketState(Enum):
    """Where a request stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Ticket(Protocol[ResultT_co]):
    """A request that was accepted."""

    @property
    def state(self) -> TicketState:
        """Where the request stands."""
        ...

    @property
    def position(self) -> int:
        """How many requests go first; 0 once it runs."""
        ...

    @property
    def progress(self) -> tuple[int, int] | None:
        """How much of the work is done, and how much there is; ``None`` where nothing is told."""
        ...

    def done(self) -> bool:
        """Whether the request has ended, in whatever way."""
        ...

    def wait(self, seconds: float) -> bool:
        """Wait at most so long; whether the request has ended. Meant to be called in slices."""
        ...

    def result(self, timeout: float | None = None) -> ResultT_co:
        """The answer, or the error that the request ended with.

        Raises:
            TimeoutError: not ended after ``timeout`` seconds.
            RequestCancelledError: cancelled, or overtaken by the session's next request.
        """
        ...

    def cancel(self) -> None:
        """Ask for the request not to be run, or to stop at the next layer. Never waits."""
        ...


class Engine(Protocol):
    """Takes requests of many sessions and answers them in turn."""

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        ...

    def submit(self, session: str, request: Request[ResultT]) -> Ticket[ResultT]:
        """Hand in a request; an older one of the same session and kind is cancelled.

        Args:
            session: who asks; any string that tells people apart.
            request: what to compute.

        Raises:
            QueueFullError: too many requests wait already.
        """
        ...
