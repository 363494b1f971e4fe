"""Changing activations during forward passes: ablate a head, replace a pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from torch import Tensor

from core.errors import HeadOutOfRangeError, NothingCapturedError
from core.hooks.point import VISITORS
from core.hooks.sites import Site, matches_any


@dataclass(frozen=True)
class Intervention:
    """A change to every tensor that passes the matching sites.

    Attributes:
        pattern: of site names, as in :func:`core.hooks.point`.
        change: receives the tensor and its site, returns what the model goes on with: of the same
            shape, or with several rows in the place of a batch's only one.
    """

    pattern: str
    change: Callable[[Tensor, Site], Tensor]


class _Interventions:
    def __init__(self, interventions: tuple[Intervention, ...]) -> None:
        self.interventions = interventions
        self.patterns = tuple(one.pattern for one in interventions)
        self.applied: set[str] = set()

    def wants(self, site: Site) -> bool:
        return matches_any(site.name, self.patterns)

    def visit(self, site: Site, value: Tensor) -> Tensor:
        for one in self.interventions:
            if site.matches(one.pattern):
                value = one.change(value, site)
                self.applied.add(one.pattern)
        return value


@contextmanager
def intervene(*interventions: Intervention) -> Iterator[None]:
    """Apply the changes while the block runs, in this context only.

    Raises:
        NothingCapturedError: a change met no site, so nothing would have happened silently.
    """
    visitor = _Interventions(interventions)
    visitors = VISITORS.get()
    token = VISITORS.set(replace(visitors, interventions=(*visitors.interventions, visitor)))
    try:
        yield
    finally:
        VISITORS.reset(token)
    missed = [one.pattern for one in interventions if one.pattern not in visitor.applied]
    if missed:
        raise NothingCapturedError(missed)


def ablate_heads(
    heads: Iterable[tuple[int, int]], *, attention: str = "encoder.layers.{}.attention"
) -> tuple[Intervention, ...]:
    """Interventions that set what the given heads mix to zero.

    The head's part of the output projection then adds nothing to the residual stream; its
    attention pattern stays as it was.

    Args:
        heads: pairs of layer and head, both from 0.
        attention: site of the attention, with a place for the layer.

    Raises, during the forward pass:
        HeadOutOfRangeError: the layer has no head of this number.
        NothingCapturedError: the model has no layer of this number.
    """
    by_layer: dict[int, list[int]] = {}
    for layer, head in heads:
        by_layer.setdefault(layer, []).append(head)

    def silence(numbers: list[int]) -> Callable[[Tensor, Site], Tensor]:
        def change(mixed: Tensor, site: Site) -> Tensor:  # [batch, head, query, head_size]
            _require_heads(numbers, mixed, site)
            mixed = mixed.clone()
            mixed[:, numbers] = 0.0
            return mixed

        return change

    return tuple(
        Intervention(f"{attention.format(layer)}.mixed", silence(numbers))
        for layer, numbers in sorted(by_layer.items())
    )


def ablate_each_head(layer: int, *, attention: str = "encoder.layers.{}.attention") -> Intervention:
    """An intervention that makes of a batch's only row one for each head of a layer.

    Row k goes on from here without head k, as :func:`ablate_heads` has it; up to here one row has
    been computed for all.

    Args:
        layer: from 0.
        attention: site of the attention, with a place for the layer.

    Raises, during the forward pass:
        ValueError: the batch has several rows.
        NothingCapturedError: the model has no layer of this number.
    """

    def change(mixed: Tensor, _site: Site) -> Tensor:  # [1, head, query, head_size]
        rows, heads = mixed.shape[:2]
        if rows != 1:
            raise ValueError(f"one row becomes one for each head, not {rows}")
        mixed = mixed.repeat(heads, 1, 1, 1)  # [row, head, query, head_size]
        every = range(heads)
        mixed[every, every] = 0.0
        return mixed

    return Intervention(f"{attention.format(layer)}.mixed", change)


def replace_pattern(
    layer: int, head: int, weights: Tensor, *, attention: str = "encoder.layers.{}.attention"
) -> Intervention:
    """An intervention that gives one head other weights.

    Args:
        layer: from 0.
        head: from 0.
        weights: ``[query, key]``, rows sum to 1.
        attention: site of the attention, with a place for the layer.

    Raises, during the forward pass:
        HeadOutOfRangeError: the layer has no head of this number.
        NothingCapturedError: the model has no layer of this number.
    """

    def change(pattern: Tensor, site: Site) -> Tensor:  # [batch, head, query, key]
        _require_heads([head], pattern, site)
        pattern = pattern.clone()
        pattern[:, head] = weights.to(pattern)
        return pattern

    return Intervention(f"{attention.format(layer)}.pattern", change)


def _require_heads(numbers: Iterable[int], value: Tensor, site: Site) -> None:
    heads = value.shape[1]  # [batch, head, ...]
    for number in numbers:
        if not 0 <= number < heads:
            raise HeadOutOfRangeError(site.name, number, heads)
