"""Stopping a forward pass between two layers, or two steps of a recurrent model."""

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
    """Raise ``RequestCancelledError`` at the next layer or step once ``wanted()`` is true.

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
