"""Hook points: permanent, named identities that do nothing until somebody listens."""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from core.hooks.sites import Site, current_site


class Visitor(Protocol):
    """Something that reads or changes the tensors that pass through hook points."""

    def wants(self, site: Site) -> bool:
        """Whether ``visit`` should be called for this site."""
        ...

    def visit(self, site: Site, value: Tensor) -> Tensor:
        """Return the tensor the model goes on with."""
        ...


@dataclass(frozen=True)
class Visitors:
    """Who listens in this context. Interventions come first: collectors see what they made."""

    interventions: tuple[Visitor, ...] = ()
    collectors: tuple[Visitor, ...] = ()

    def __iter__(self) -> Iterator[Visitor]:
        return iter(self.interventions + self.collectors)


NOBODY = Visitors()
# A context variable, not a module attribute: two threads that share a model each see their own.
VISITORS: ContextVar[Visitors] = ContextVar("visitors", default=NOBODY)


class HookPoint(nn.Module):
    """The identity, with a name. Sits on every tensor worth seeing.

    Idle, it costs one look at a context variable. Under ``torch.compile`` it vanishes, so that
    compiled training stays one graph.
    """

    def __init__(self) -> None:
        super().__init__()
        self.path = ""  # set by name_hook_points

    def forward(self, value: Tensor) -> Tensor:
        """Return ``value``, or what an active intervention makes of it."""
        if torch.compiler.is_compiling():
            return value
        visitors = VISITORS.get()
        if visitors is NOBODY:
            return value
        site = current_site(self.path)
        for visitor in visitors:
            if visitor.wants(site):
                value = visitor.visit(site, value)
        return value

    # Visitors are the only listeners here: torch's own hooks are skipped, and with them half of
    # what an idle point costs.
    __call__ = forward

    def watched(self) -> Site | None:
        """The current site if anybody listens to it, else ``None``."""
        visitors = VISITORS.get()
        if visitors is NOBODY:
            return None
        site = current_site(self.path)
        return site if any(visitor.wants(site) for visitor in visitors) else None


def name_hook_points(model: nn.Module) -> None:
    """Write into every hook point of ``model`` its dotted path from the root."""
    for path, module in model.named_modules():
        if isinstance(module, HookPoint):
            module.path = path
