"""How far a running request has come, for whoever waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[int, int], None]

_LISTENER: ContextVar[Listener | None] = ContextVar("listener of progress", default=None)


def tell_progress(done: int, wanted: int) -> None:
    """Say how much of the work is done; heard where an engine runs the request."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(done, wanted)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Let a listener hear what is told within."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)
