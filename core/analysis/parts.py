"""What a model's parameters are spent on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_LAYER = re.compile(r"layers\.([0-9]+)\.")
# The first that is found in a tensor's name below its side decides.
_BELOW = (
    ("cross_attention_norm", "norms"),
    ("attention_norm", "norms"),
    ("feed_forward_norm", "norms"),
    ("final_norm", "norms"),
    ("cross_attention.", "cross_attention"),
    ("attention.", "attention"),
    ("feed_forward.", "feed_forward"),
    ("relative_bias.", "relative_bias"),
)
_EMBEDDING = {
    "token_table": "tokens",
    "position_table": "positions",
    "segment_table": "segments",
    "norm": "norms",
    "projection": "projection",
}


@dataclass(frozen=True)
class ParameterGroup:
    """One kind of tensors.

    Attributes:
        side: "embedding", "encoder", "decoder" or "head".
        name: what it is there: "tokens", "attention", "norms", "pooler", "masked_language" ...
        count: its numbers, all layers together.
        modules: layers that have tensors of their own of this kind; 0 for what is in no layer.
    """

    side: str
    name: str
    count: int
    modules: int = 0


def parts_of(tensors: Iterable[tuple[str, int]]) -> tuple[ParameterGroup, ...]:
    """Add up tensors by what they are for, in the order in which the kinds come first.

    >>> parts_of([("embedding.token_table.weight", 6), ("encoder.layers.0.attention.k", 4)])[1]
    ParameterGroup(side='encoder', name='attention', count=4, modules=1)

    Args:
        tensors: our name of each parameter and how many numbers it has; shared ones once.
    """
    counts: dict[tuple[str, str], int] = {}
    layers: dict[tuple[str, str], set[str]] = {}
    for name, count in tensors:
        kind = _kind_of(name)
        counts[kind] = counts.get(kind, 0) + count
        layers.setdefault(kind, set()).update(_LAYER.findall(name)[:1])
    return tuple(ParameterGroup(*kind, count, len(layers[kind])) for kind, count in counts.items())


def path_of(name: str) -> tuple[str, ...]:
    """Where a tensor stands: its side, its layer if it is in one, its kind, its own name.

    >>> path_of("encoder.layers.2.attention.query_projection.weight")
    ('encoder', '2', 'attention', 'query_projection.weight')

    Args:
        name: ours, of a parameter.

    Returns:
        side and kind as in :class:`ParameterGroup`; the layer's module as a number, from 0.
    """
    side, kind = _kind_of(name)
    own = name.partition(".")[2] or name
    layer = _LAYER.match(own)
    if layer:
        own = own[layer.end() :]
    return (side, *(layer.groups() if layer else ()), kind, own.removeprefix(f"{kind}."))


def _kind_of(name: str) -> tuple[str, str]:
    side, _dot, below = name.partition(".")
    if side == "embedding":
        return side, _EMBEDDING.get(below.partition(".")[0], "other")
    if side in ("encoder", "decoder"):
        return side, next((part for sign, part in _BELOW if sign in below), "other")
    if side == "query_start":  # stands where a token is not to be seen (XLNet)
        return "embedding", side
    if side == "tasks":
        return "head", below.partition(".")[0].removesuffix("_head")
    return "head", side
