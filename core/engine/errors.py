"""Why a call was not answered, other than by its own fault."""

from __future__ import annotations

from core.errors import HeadlightError


class CallError(HeadlightError, TypeError):
    """A call that cannot be made: a mistake of whoever wrote the code, not of a reader."""


class QueueFullError(HeadlightError):
    """So many calls wait that another one is refused."""

    def __init__(self, waiting: int, limit: int) -> None:
        super().__init__(f"{waiting} calls are waiting already; please try again in a moment")
        self.waiting = waiting
        self.limit = limit


class CallCancelledError(HeadlightError):
    """The call was cancelled, or a later one of the same session took its place."""

    def __init__(self) -> None:
        super().__init__("the call was cancelled")
