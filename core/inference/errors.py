"""Why a request was not answered, other than by its own fault."""

from __future__ import annotations

from core.errors import HeadlightError


class QueueFullError(HeadlightError):
    """So many requests wait that another one is refused."""

    def __init__(self, waiting: int, limit: int) -> None:
        super().__init__(f"{waiting} requests are waiting already; please try again in a moment")
        self.waiting = waiting
        self.limit = limit


class RequestCancelledError(HeadlightError):
    """The request was cancelled, or a later one of the same session took its place."""

    def __init__(self) -> None:
        super().__init__("the request was cancelled")
