"""How far a running call has come, and stopping it between two layers or steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from torch import Tensor

from core.engine.errors import CallCancelledError
from core.hooks.point import VISITORS
from core.hooks.sites import Site

Listener = Callable[[int, int], None]

_LISTENER: ContextVar[Listener | None] = ContextVar("listener of progress", default=None)


def tell_progress(done: int, wanted: int) -> None:
    """Say how much of the work is done; heard where an engine runs the call."""
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


@dataclass(frozen=True)
class _Stop:
    wanted: Callable[[], bool]

    def wants(self, site: Site) -> bool:
        return site.name.endswith(".input") and self.wanted()

    def visit(self, site: Site, value: Tensor) -> Tensor:  # noqa: ARG002
        raise CallCancelledError


@contextmanager
def stop_when(wanted: Callable[[], bool]) -> Iterator[None]:
    """Raise ``CallCancelledError`` at the next layer or step once ``wanted()`` is true.

    Every layer has a hook point ``input``, and so has a gated unit, which is passed at every step;
    on the fused path, which knows no steps, after so many tokens.
    """
    visitors = VISITORS.get()
    stop = _Stop(wanted)
    token = VISITORS.set(replace(visitors, interventions=(stop, *visitors.interventions)))
    try:
        yield
    finally:
        VISITORS.reset(token)
