"""The engine that lives in this process: one queue, one thread, one device."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from concurrent import futures
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from core.checkpoints import Checkpoint
from core.device import use_all_threads
from core.engine.call import Call
from core.engine.engine import Ticket, TicketState
from core.engine.errors import CallCancelledError, QueueFullError
from core.engine.progress import heard_by, stop_when

QUEUE_LIMIT = 64

ResultT = TypeVar("ResultT")


class _Job(Generic[ResultT]):
    """One computation and the tickets of all who wait for it. Changed under the engine's lock."""

    def __init__(self, call: Call[ResultT], state: Hashable) -> None:
        self.call = call
        self.state = state
        self.tickets: list[WorkerTicket[ResultT]] = []
        self.running = False
        self.progress: tuple[int, int] | None = None

    def unwanted(self) -> bool:
        """Whether everybody has left."""
        return not self.tickets

    def note_progress(self, done: int, wanted: int) -> None:
        """Keep what the call tells while it runs."""
        self.progress = (done, wanted)


class WorkerTicket(Generic[ResultT]):
    """A call in this process; see :class:`Ticket`."""

    def __init__(self, engine: WorkerEngine, session: str, job: _Job[ResultT]) -> None:
        self.session = session
        self._engine = engine
        self.job = job
        self._future: Future[ResultT] = Future()
        self._end: TicketState | None = None

    @property
    def state(self) -> TicketState:
        """Where the call stands for this reader."""
        if self._end is not None:
            return self._end
        return TicketState.RUNNING if self.job.running else TicketState.WAITING

    @property
    def position(self) -> int:
        """How many calls go first."""
        return 0 if self.done() else self._engine.position_of(self.job)

    @property
    def progress(self) -> tuple[int, int] | None:
        """What the call has told."""
        return self.job.progress

    def done(self) -> bool:
        """Whether the call has ended for this reader."""
        return self._future.done()

    def wait(self, seconds: float) -> bool:
        """Wait at most so long; whether the call has ended."""
        return bool(futures.wait([self._future], seconds).done)

    def result(self, timeout: float | None = None) -> ResultT:
        """The answer, or the error that the call ended with."""
        return self._future.result(timeout)

    def cancel(self) -> None:
        """Leave; the last one who does takes the call along."""
        self._engine.leave(self)

    # The rest is called by the engine, with its lock held, once: a ticket that has ended is
    # its job's no more.

    def succeed(self, result: ResultT) -> None:
        """End with an answer."""
        self._end = TicketState.DONE
        self._future.set_result(result)

    def fail(self, error: Exception) -> None:
        """End with an error."""
        cancelled = isinstance(error, CallCancelledError)
        self._end = TicketState.CANCELLED if cancelled else TicketState.FAILED
        self._future.set_exception(error)


class WorkerEngine:
    """Answers calls one at a time on a thread of its own, first come first served.

    Hook captures are opened by the task on the worker thread, because a context variable set on
    another thread is not seen there.
    """

    def __init__(self, load: Callable[[str], Checkpoint], *, limit: int = QUEUE_LIMIT) -> None:
        """Start the thread.

        Args:
            load: returns a loaded checkpoint for its name, on this engine's device; called on the
                worker thread for every call, so it should remember what it has loaded.
            limit: most calls that may wait, the running one not counted.
        """
        self._load = load
        self._limit = limit
        self._queue: deque[_Job[Any]] = deque()
        self._running: _Job[Any] | None = None
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="headlight-engine", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many calls wait."""
        return len(self._queue)

    def submit(
        self, session: str, call: Call[ResultT], *, state: Hashable = None
    ) -> Ticket[ResultT]:
        """Hand in a call; see :meth:`Engine.submit`."""
        with self._changed:
            if self._closed:
                raise RuntimeError("the engine is closed")
            live = [*self._live()]
            shared = next((one for one in live if (one.call, one.state) == (call, state)), None)
            overtaken = {
                ticket
                for job in live
                if job.call.task == call.task and job is not shared
                for ticket in job.tickets
                if ticket.session == session
            }
            if shared is None:
                # Counted before anything is cancelled: a refused call costs its session nothing.
                staying = sum(
                    any(one not in overtaken for one in job.tickets) for job in self._queue
                )
                if staying >= self._limit:
                    raise QueueFullError(staying, self._limit)
            for ticket in overtaken:
                self._leave(ticket)
            job: _Job[ResultT] = shared or _Job(call, state)
            mine = WorkerTicket(self, session, job)
            job.tickets.append(mine)
            if shared is None:
                self._queue.append(job)
                self._changed.notify()
        return mine

    def leave(self, ticket: WorkerTicket[Any]) -> None:
        """End a ticket that has not ended yet."""
        with self._changed:
            if ticket in ticket.job.tickets:
                self._leave(ticket)

    def position_of(self, job: _Job[Any]) -> int:
        """How many calls go before this one."""
        with self._changed:
            if job not in self._queue:
                return 0
            return self._queue.index(job) + (self._running is not None)

    def close(self, timeout: float | None = None) -> None:
        """Cancel everything, take nothing more, and wait for the thread to end."""
        with self._changed:
            self._closed = True
            for ticket in [ticket for job in self._live() for ticket in job.tickets]:
                self._leave(ticket)
            self._changed.notify()
        self._thread.join(timeout)

    def _live(self) -> Iterator[_Job[Any]]:
        """What somebody waits for, the running one first."""
        running = () if self._running is None else (self._running,)
        return (job for job in (*running, *self._queue) if job.tickets)

    def _leave(self, ticket: WorkerTicket[Any]) -> None:
        job = ticket.job
        job.tickets.remove(ticket)
        if not job.tickets and job is not self._running:
            self._queue.remove(job)
        ticket.fail(CallCancelledError())

    def _work(self) -> None:
        use_all_threads()
        while (job := self._next()) is not None:
            self._answer(job)
            del job  # or its call would be kept until the next one

    def _next(self) -> _Job[Any] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closed)
            if self._closed:
                return None
            self._running = self._queue.popleft()
            self._running.running = True
            return self._running

    def _answer(self, job: _Job[Any]) -> None:
        try:
            with stop_when(job.unwanted), heard_by(job.note_progress):
                result = job.call.run(self._load(job.call.checkpoint))
        except BaseException as error:  # whatever it is, it belongs to whoever asked
            # A panic of a library in Rust is no Exception, and would end the thread of all.
            ours = error if isinstance(error, Exception) else RuntimeError(repr(error))
            for ticket in self._end():
                ticket.fail(ours)
        else:
            for ticket in self._end():
                ticket.succeed(result)

    def _end(self) -> list[WorkerTicket[Any]]:
        """Let the running job go; what a cancelled one still brings back reaches nobody."""
        with self._changed:
            assert self._running is not None
            tickets, self._running.tickets = self._running.tickets, []
            self._running = None
            return tickets
