"""Hook points: permanent, named identities that do nothing until somebody listens.

A capture listens, and keeps what passes as tensors or side by side in one array.
"""

from __future__ import annotations

import math
import mmap
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Protocol

import torch
from torch import Tensor, nn

from core.errors import NothingCapturedError
from core.hooks.sites import Site, current_site, matches_any


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


@dataclass(frozen=True)
class Record:
    """One tensor that passed one hook point.

    Attributes:
        site: where.
        call: 0 for the first visit of this site and stream, 1 for the second, and so on.
        value: the detached tensor.
    """

    site: Site
    call: int
    value: Tensor


class Trace:
    """Everything one capture collected, in the order of the forward pass."""

    def __init__(self, patterns: Sequence[str], keep: Callable[[Tensor], Tensor]) -> None:
        self.patterns = tuple(patterns)
        self.records: list[Record] = []
        self._keep = keep
        self._calls: Counter[Site] = Counter()

    def wants(self, site: Site) -> bool:
        """Whether the site was asked for."""
        return matches_any(site.name, self.patterns)

    def visit(self, site: Site, value: Tensor) -> Tensor:
        """Record the tensor; the model goes on with it unchanged."""
        self.records.append(Record(site, self._calls[site], self._keep(value.detach())))
        self._calls[site] += 1
        return value

    def __getitem__(self, name: str) -> Tensor:
        """The one tensor recorded at a site.

        Raises:
            KeyError: the site was visited never, or more than once.
        """
        found = [record.value for record in self.records if record.site.name == name]
        if len(found) != 1:
            raise KeyError(f"{name} was recorded {len(found)} times, not once")
        return found[0]

    def matching(self, pattern: str, stream: str | None = None) -> list[Record]:
        """The records whose site matches, in the order of the forward pass."""
        return [
            record
            for record in self.records
            if record.site.matches(pattern) and record.site.stream == stream
        ]

    def stacked(
        self, pattern: str, stream: str | None = None, *, layers: int | None = None
    ) -> Tensor:
        """The matching tensors of one shape as one: ``[layer, ...]``.

        Raises:
            NothingCapturedError: they are not as many as the given number of layers.
        """
        found = [record.value for record in self.matching(pattern, stream)]
        if layers not in (None, len(found)):
            raise NothingCapturedError([pattern])
        return torch.stack(found)


@contextmanager
def capture(
    sites: Sequence[str], *, keep: Callable[[Tensor], Tensor] = lambda value: value
) -> Iterator[Trace]:
    """Collect what passes the given sites while the block runs, in this context only.

    Args:
        sites: patterns, for example ``["encoder.layers.*.attention.pattern"]``, as in
            :func:`core.hooks.sites.matches_any`.
        keep: what to store of a detached tensor, for example ``Tensor.cpu``.

    Raises:
        NothingCapturedError: a pattern met no site, as happens with a compiled module.
        FusedAttentionError: scores or patterns were asked for on the fused path.
    """
    trace = Trace(sites, keep)
    visitors = VISITORS.get()
    token = VISITORS.set(replace(visitors, collectors=(*visitors.collectors, trace)))
    try:
        yield trace
    finally:
        VISITORS.reset(token)
    missed = [name for name in sites if not any(r.site.matches(name) for r in trace.records)]
    if missed:
        raise NothingCapturedError(missed)


class _Last:
    """The newest tensor of one site. Decoding asks for one a piece, so it is no whole trace."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.value: Tensor | None = None

    def wants(self, site: Site) -> bool:
        return site.name == self.name

    def visit(self, site: Site, value: Tensor) -> Tensor:  # noqa: ARG002
        self.value = value
        return value


def captured(site: str, run: Callable[[], object]) -> Tensor:
    """What passes one site while something runs in this context; of several visits the last.

    Raises:
        NothingCapturedError: nothing does.
    """
    last, visitors = _Last(site), VISITORS.get()
    token = VISITORS.set(Visitors(visitors.interventions, (*visitors.collectors, last)))
    try:
        run()
    finally:
        VISITORS.reset(token)
    if last.value is None:
        raise NothingCapturedError([site])
    return last.value


def to_host(value: Tensor) -> Tensor:
    """Float32 on the CPU."""
    return value.float().cpu()


class PatternBuffer:
    """Puts tensors of one shape side by side: stacking them afterwards would copy all of them.

    Attributes:
        block: ``[stream, layer, ...]``, float32 on the CPU.
    """

    def __init__(self, layers: int, streams: int = 1) -> None:
        self.block = torch.empty(0)
        self._shape = (streams, layers)
        self._filled = 0

    @property
    def is_full(self) -> bool:
        """Whether every stream of every layer has come."""
        return self._filled == math.prod(self._shape)

    def put(self, value: Tensor) -> Tensor:
        """Copy a tensor ``[1, ...]`` to the next layer, its streams one by one."""
        if self._filled == 0:
            self.block = _own_pages(*self._shape, *value.shape[1:])
        layer, stream = divmod(self._filled, self._shape[0])
        layer_block = self.block[stream, layer]
        layer_block.copy_(value[0])
        self._filled += 1
        return layer_block


def _own_pages(*shape: int) -> Tensor:
    """Room for float32 numbers in pages of their own.

    Results stay for minutes. Between the short-lived tensors of passes they would leave holes
    behind, which the process keeps; whole pages go back to the system at once.
    """
    size = math.prod(shape) * torch.float32.itemsize
    if sys.platform == "win32":
        pages = mmap.mmap(-1, size)
    else:
        pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE)  # shared ones are slower to come by
    return torch.frombuffer(pages, dtype=torch.float32).view(shape)
