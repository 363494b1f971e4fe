"""The engine that lives in this process: one queue, one thread, one device."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future
from typing import Any, Generic

from core.checkpoints import Checkpoint
from core.inference.cancellation import stop_when
from core.inference.engine import Request, ResultT, Ticket, TicketState
from core.inference.errors import QueueFullError, RequestCancelledError
from core.inference.progress import heard_by

QUEUE_LIMIT = 64


class WorkerTicket(Generic[ResultT]):
    """A request in this process; see :class:`Ticket`."""

    def __init__(self, engine: WorkerEngine, session: str, request: Request[ResultT]) -> None:
        self.session = session
        self.request = request
        self.state = TicketState.WAITING
        self.progress: tuple[int, int] | None = None
        self._engine = engine
        self._future: Future[ResultT] = Future()

    @property
    def position(self) -> int:
        """How many requests go first."""
        return self._engine.position_of(self)

    def done(self) -> bool:
        """Whether the request has ended."""
        return self._future.done()

    def wait(self, seconds: float) -> bool:
        """Wait at most so long; whether the request has ended."""
        return bool(futures.wait([self._future], seconds).done)

    def result(self, timeout: float | None = None) -> ResultT:
        """The answer, or the error that the request ended with."""
        return self._future.result(timeout)

    def cancel(self) -> None:
        """Leave the queue, or stop at the next layer."""
        self._engine.cancel(self)

    # The rest is called by the engine, with its lock held. The first end counts: what a cancelled
    # request still brings back is dropped.

    def begin(self) -> None:
        """Waiting no more."""
        self.state = TicketState.RUNNING

    def note_progress(self, done: int, wanted: int) -> None:
        """Keep what the request tells while it runs."""
        self.progress = (done, wanted)

    def succeed(self, result: ResultT) -> None:
        """End with an answer."""
        if not self.done():
            self.state = TicketState.DONE
            self._future.set_result(result)

    def fail(self, error: Exception) -> None:
        """End with an error."""
        if not self.done():
            cancelled = isinstance(error, RequestCancelledError)
            self.state = TicketState.CANCELLED if cancelled else TicketState.FAILED
            self._future.set_exception(error)


class WorkerEngine:
    """Answers requests one at a time on a thread of its own, first come first served.

    A session has at most one live request of each kind: the latest. An older one that waits
    leaves the queue; one that runs stops at its next layer, and its answer is dropped. Hook
    captures are opened by the request on the worker thread, because a context variable set on
    another thread is not seen there.
    """

    def __init__(self, load: Callable[[str], Checkpoint], *, limit: int = QUEUE_LIMIT) -> None:
        """Start the thread.

        Args:
            load: returns a loaded checkpoint for its name, on this engine's device; called on the
                worker thread for every request, so it should remember what it has loaded.
            limit: most requests that may wait, the running one not counted.
        """
        self._load = load
        self._limit = limit
        self._queue: deque[WorkerTicket[Any]] = deque()
        self._running: WorkerTicket[Any] | None = None
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="headlight-engine", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return len(self._queue)

    def submit(self, session: str, request: Request[ResultT]) -> Ticket[ResultT]:
        """Hand in a request; an older one of the same session and kind is cancelled.

        Raises:
            QueueFullError: too many requests wait already.
        """

        def overtaken(other: WorkerTicket[Any]) -> bool:
            return other.session == session and type(other.request) is type(request)

        ticket = WorkerTicket(self, session, request)
        with self._changed:
            if self._closed:
                raise RuntimeError("the engine is closed")
            # Counted before anything is cancelled: a refused request costs its session nothing.
            staying = sum(not overtaken(other) for other in self._queue)
            if staying >= self._limit:
                raise QueueFullError(staying, self._limit)
            self._cancel_where(overtaken)
            self._queue.append(ticket)
            self._changed.notify()
        return ticket

    def cancel(self, ticket: WorkerTicket[Any]) -> None:
        """End a ticket that has not ended yet."""
        with self._changed:
            self._cancel_where(lambda other: other is ticket)

    def position_of(self, ticket: WorkerTicket[Any]) -> int:
        """How many requests go before this one."""
        with self._changed:
            if ticket not in self._queue:
                return 0
            return self._queue.index(ticket) + (self._running is not None)

    def close(self, timeout: float | None = None) -> None:
        """Cancel everything, take nothing more, and wait for the thread to end."""
        with self._changed:
            self._closed = True
            self._cancel_where(lambda _: True)
            self._changed.notify()
        self._thread.join(timeout)

    def _cancel_where(self, matches: Callable[[WorkerTicket[Any]], bool]) -> None:
        live = [*self._queue] if self._running is None else [self._running, *self._queue]
        for ticket in filter(matches, live):
            ticket.fail(RequestCancelledError())
            if ticket is not self._running:
                self._queue.remove(ticket)

    def _work(self) -> None:
        while (ticket := self._next()) is not None:
            self._answer(ticket)
            del ticket  # or the last answer would be kept until the next request

    def _next(self) -> WorkerTicket[Any] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closed)
            if self._closed:
                return None
            self._running = self._queue.popleft()
            self._running.begin()
            return self._running

    def _answer(self, ticket: WorkerTicket[Any]) -> None:
        try:
            with stop_when(ticket.done), heard_by(ticket.note_progress):
                result = ticket.request.run(self._load(ticket.request.checkpoint))
        except BaseException as error:  # whatever it is, it belongs to whoever asked
            # A panic of a library in Rust is no Exception, and would end the thread of all.
            ours = error if isinstance(error, Exception) else RuntimeError(repr(error))
            with self._changed:
                self._running = None
                ticket.fail(ours)
        else:
            with self._changed:
                self._running = None
                ticket.succeed(result)
