"""Another engine, as plain as can be: a thread for every call, which waits until it is first.

It reads calls back from text, as one in another process has to, and shares no line with the worker.
"""

import threading
from dataclasses import dataclass, field
from typing import Any

from core.engine import Call, CallCancelledError, QueueFullError, TicketState
from core.engine.progress import heard_by, stop_when


@dataclass(eq=False)
class Line:
    """A call in the line."""

    text: str
    state: object
    tickets: list[Any] = field(default_factory=list)
    progress: tuple[int, int] | None = None
    running: bool = False


@dataclass(eq=False)
class ThreadTicket:
    engine: Any
    session: str
    line: Line
    ended: threading.Event = field(default_factory=threading.Event)
    outcome: object = None
    end: TicketState | None = None

    @property
    def state(self):
        running = TicketState.RUNNING if self.line.running else TicketState.WAITING
        return self.end or running

    @property
    def position(self):
        lines = self.engine.lines
        return 0 if self.done() or self.line not in lines else lines.index(self.line)

    @property
    def progress(self):
        return self.line.progress

    def done(self):
        return self.ended.is_set()

    def wait(self, seconds):
        return self.ended.wait(seconds)

    def result(self, timeout=None):
        if not self.ended.wait(timeout):
            raise TimeoutError
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome

    def cancel(self):
        with self.engine.changed:
            self.leave(TicketState.CANCELLED, CallCancelledError())

    def leave(self, end, outcome):
        if self.end is None:
            self.end, self.outcome = end, outcome
            self.line.tickets.remove(self)
            if not self.line.tickets and not self.line.running:
                self.engine.lines.remove(self.line)
            self.ended.set()
            self.engine.changed.notify_all()


class ThreadEngine:
    def __init__(self, load, *, limit=64):
        self.load = load
        self.limit = limit
        self.lines = []
        self.changed = threading.Condition(threading.RLock())
        self.closed = False

    @property
    def waiting(self):
        return sum(not line.running for line in self.lines)

    def submit(self, session, call, *, state=None):
        text = call.to_json()
        with self.changed:
            if self.closed:
                raise RuntimeError("the engine is closed")
            live = [line for line in self.lines if line.tickets]
            equal = [line for line in live if (line.text, line.state) == (text, state)]
            mine = [ticket for line in live for ticket in line.tickets if ticket.session == session]
            older = [
                ticket
                for ticket in mine
                if ticket.line not in equal and Call.from_json(ticket.line.text).task == call.task
            ]
            staying = [
                line for line in live if not line.running and not set(line.tickets) <= set(older)
            ]
            if not equal and len(staying) >= self.limit:
                raise QueueFullError(len(staying), self.limit)
            for ticket in older:
                ticket.cancel()
            line = equal[0] if equal else Line(text, state)
            ticket = ThreadTicket(self, session, line)
            line.tickets.append(ticket)
            if not equal:
                self.lines.append(line)
                threading.Thread(target=self.work, args=(line,), daemon=True).start()
        return ticket

    def work(self, line):
        with self.changed:
            self.changed.wait_for(lambda: line not in self.lines or self.lines[0] is line)
            if line not in self.lines:
                return
            line.running = True
        call = Call.from_json(line.text)
        try:
            told = heard_by(lambda *told: setattr(line, "progress", told))
            with stop_when(lambda: not line.tickets), told:
                end, outcome = TicketState.DONE, call.run(self.load(call.checkpoint))
        except Exception as error:
            end, outcome = TicketState.FAILED, error
        with self.changed:
            self.lines.remove(line)
            for ticket in [*line.tickets]:
                ticket.leave(end, outcome)
            self.changed.notify_all()

    def close(self, timeout=None):
        with self.changed:
            self.closed = True
            for ticket in [ticket for line in self.lines for ticket in line.tickets]:
                ticket.cancel()
