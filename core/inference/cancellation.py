"""Stopping a forward pass between two layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from torch import Tensor

from core.hooks.point import VISITORS
from core.hooks.sites import Site
from core.inference.errors import RequestCancelledError


@dataclass(frozen=True)
class _Stop:
    wanted: Callable[[], bool]

    def wants(self, site: Site) -> bool:
        return site.name.endswith(".input") and self.wanted()

    def visit(self, site: Site, value: Tensor) -> Tensor:  # noqa: ARG002
        raise RequestCancelledError


@contextmanager
def stop_when(wanted: Callable[[], bool]) -> Iterator[None]:
    """Raise ``RequestCancelledError`` at the start of the next layer once ``wanted()`` is true."""
    visitors = VISITORS.get()
    stop = _Stop(wanted)
    token = VISITORS.set(replace(visitors, interventions=(stop, *visitors.interventions)))
    try:
        yield
    finally:
        VISITORS.reset(token)
