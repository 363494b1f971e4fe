"""Names of the places where activations can be read, the same across all systems.

A site is the dotted path of its hook point from the model's root, with the number of the layer
*in the forward pass*: ``encoder.layers.3.attention.pattern``. Where one module serves several
layers (ALBERT), each visit has its own number; where one module serves two streams (XLNet's two,
the target's words in the embedding of both sides), the stream tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import torch

_Value = TypeVar("_Value")

_LAYER: ContextVar[int | None] = ContextVar("layer", default=None)
_STREAM: ContextVar[str | None] = ContextVar("stream", default=None)


@dataclass(frozen=True)
class Site:
    """One visit's place: regular name, layer of the forward pass, stream."""

    name: str
    layer: int | None = None
    stream: str | None = None

    def matches(self, pattern: str) -> bool:
        """Whether the name matches a pattern, see :func:`matches_any`."""
        return matches_any(self.name, (pattern,))


# A forward pass of twelve layers visits two hundred sites: names are made and matched once.
_REMEMBERED = 1 << 14


@lru_cache(_REMEMBERED)
def matches_any(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether the name of a site matches one of the patterns.

    ``*`` stands for any characters up to the next dot, ``**`` for any characters at all:
    ``encoder.layers.*.output`` means the outputs of the layers, not those of the attentions
    within them, and ``**`` means every site.
    """
    return any(_expression(pattern).fullmatch(name) for pattern in patterns)


@lru_cache(_REMEMBERED)
def _expression(pattern: str) -> re.Pattern[str]:
    escaped = re.escape(pattern)  # puts a backslash before every dot and star
    return re.compile(escaped.replace(r"\*\*", ".*").replace(r"\*", "[^.]*"))


def current_site(module_path: str) -> Site:
    """The site of a hook point, its module's layer number replaced by the current layer's.

    Inside ``at_layer(7)`` the path ``encoder.layers.0.attention.pattern`` becomes
    ``encoder.layers.7.attention.pattern``.
    """
    return _site(module_path, _LAYER.get(), _STREAM.get())


@lru_cache(_REMEMBERED)
def _site(module_path: str, layer: int | None, stream: str | None) -> Site:
    stack, marker, rest = module_path.partition(".layers.")
    if layer is None or not marker:
        return Site(module_path, layer, stream)
    _, _, inside = rest.partition(".")
    return Site(f"{stack}.layers.{layer}.{inside}", layer, stream)


def at_layer(layer: int) -> AbstractContextManager[None]:
    """Say which layer of the forward pass runs now; free while compiling."""
    return nullcontext() if torch.compiler.is_compiling() else _setting(_LAYER, layer)


def in_stream(stream: str) -> AbstractContextManager[None]:
    """Say which stream runs now: XLNet's two, or the target's; free while compiling."""
    return nullcontext() if torch.compiler.is_compiling() else _setting(_STREAM, stream)


@contextmanager
def _setting(variable: ContextVar[_Value | None], value: _Value) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
