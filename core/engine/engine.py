"""What an engine promises. A page knows these protocols and none of their implementations.

``tests/core/engine/test_contract.py`` says the same in tests that every engine passes.
"""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum
from typing import Protocol, TypeVar

from core.engine.call import Call

ResultT = TypeVar("ResultT")
ResultT_co = TypeVar("ResultT_co", covariant=True)


class TicketState(Enum):
    """Where a call stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Ticket(Protocol[ResultT_co]):
    """One reader's claim to the answer of a call; several may wait for the same answer."""

    @property
    def state(self) -> TicketState:
        """Where the call stands for this reader."""
        ...

    @property
    def position(self) -> int:
        """How many calls go first; 0 once it runs."""
        ...

    @property
    def progress(self) -> tuple[int, int] | None:
        """How much of the work is done, and how much there is; ``None`` where nothing is told."""
        ...

    def done(self) -> bool:
        """Whether the call has ended for this reader, in whatever way."""
        ...

    def wait(self, seconds: float) -> bool:
        """Wait at most so long; whether the call has ended. Meant to be called in slices."""
        ...

    def result(self, timeout: float | None = None) -> ResultT_co:
        """The answer, or the error that the call ended with.

        Raises:
            TimeoutError: not ended after ``timeout`` seconds.
            CallCancelledError: cancelled, or overtaken by the session's next call.
        """
        ...

    def cancel(self) -> None:
        """Leave. Never waits.

        The call itself is not run, or stops at its next layer, once nobody waits for it any more.
        """
        ...


class Engine(Protocol):
    """Takes calls of many sessions and answers them.

    A session wants at most one answer of each task: the latest it asked for. Equal calls that have
    not ended are computed once, in the place of the first, for everybody who asked.
    """

    @property
    def waiting(self) -> int:
        """How many calls wait."""
        ...

    def submit(
        self, session: str, call: Call[ResultT], *, state: Hashable = None
    ) -> Ticket[ResultT]:
        """Hand in a call; another one of the same session and task is cancelled.

        Args:
            session: who asks; any string that tells people apart.
            call: what to compute.
            state: of the checkpoint's files. Only calls of one state share an answer.

        Raises:
            QueueFullError: too many calls wait already; a call that joins an equal one never does.
        """
        ...
