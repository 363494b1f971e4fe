"""Attention as it passes the hook points of one pass, kept as arrays that readers can share."""

from __future__ import annotations

import math
import mmap
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.config import StackConfig
from core.hooks import Trace, capture
from core.tasks.errors import TooManyWeightsError

MAX_WEIGHTS = 1 << 27  # of all maps of one pass: 512 MB; as many logits beside them


@dataclass(frozen=True)
class AttentionSite:
    """Where one kind of attention is found in a model.

    Attributes:
        site: of the attention, a star for the number of the layer.
        layers: of the forward pass.
        heads: of each.
        queries: tokens that attend.
        keys: tokens that are attended to.
        bias: site of a term that all layers add to their scores, or ``None``.
        streams: that pass one after the other in every layer.
    """

    site: str
    layers: int
    heads: int
    queries: int
    keys: int
    bias: str | None = None
    streams: tuple[str | None, ...] = (None,)

    @classmethod
    def in_stack(
        cls,
        name: str,
        stack: StackConfig,
        queries: int,
        *,
        streams: tuple[str | None, ...] = (None,),
    ) -> AttentionSite:
        """The self-attention of a stack."""
        bias = f"{name}.position_bias" if stack.relative_bias else None
        heads = stack.layer.attention.heads
        site = f"{name}.layers.*.attention"
        return cls(site, stack.depth, heads, queries, queries, bias, streams)

    @property
    def weights(self) -> int:
        """Of all streams, layers and heads."""
        return len(self.streams) * self.layers * self.heads * self.queries * self.keys


@dataclass(frozen=True)
class Recorded:
    """One kind of attention of one pass, in one stream. The arrays are read-only.

    Attributes:
        patterns: ``[layer, head, query, key]``, float32.
        masked: boolean ``[query, key]``, True where the query may not see the key.
        bias: ``[head, query, key]``, float32, what all layers add to their scores, or ``None``.
    """

    patterns: NDArray[np.float32]
    masked: NDArray[np.bool_]
    bias: NDArray[np.float32] | None


def require_room(*watched: AttentionSite, logits: int = 0) -> None:
    """Refuse maps and logits that would take too much memory.

    Raises:
        TooManyWeightsError: more than ``MAX_WEIGHTS`` weights in all, or as many logits.
    """
    weights = sum(one.weights for one in watched)
    if weights > MAX_WEIGHTS:
        raise TooManyWeightsError(weights, MAX_WEIGHTS)
    if logits > MAX_WEIGHTS:
        raise TooManyWeightsError(logits, MAX_WEIGHTS, "logits")


class Recorder:
    """Records one kind of attention during one pass."""

    def __init__(self, watched: AttentionSite) -> None:
        self.watched = watched
        self._buffer = PatternBuffer(watched.layers, len(watched.streams))
        self._masks: Trace | None = None
        self._bias: Trace | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Record what runs within."""
        watched = self.watched
        # What is hidden in one layer is hidden in all.
        first = watched.site.replace("*", "0")
        with (
            capture((f"{watched.site}.pattern",), keep=self._buffer.put),
            capture((f"{first}.masked_scores",), keep=_hidden) as self._masks,
            capture((watched.bias,) if watched.bias else (), keep=to_host) as self._bias,
        ):
            yield

    def found(self, stream: str | None = None) -> Recorded:
        """What was recorded of a stream."""
        assert self._masks is not None
        assert self._bias is not None
        watched = self.watched
        bias = read_only(self._bias[watched.bias][0]) if watched.bias else None
        masked = next(one.value for one in self._masks.records if one.site.stream == stream)
        return Recorded(
            patterns=read_only(self._buffer.block[watched.streams.index(stream)]),
            masked=_locked(masked.numpy()),
            bias=bias,
        )


class PatternBuffer:
    """Puts tensors of one shape side by side: stacking them afterwards would copy all of them.

    Attributes:
        block: ``[stream, layer, ...]``, float32 on the CPU.
    """

    def __init__(self, layers: int, streams: int = 1) -> None:
        self.block = torch.empty(0)
        self._shape = (streams, layers)
        self._filled = 0

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


def _hidden(scores: Tensor) -> Tensor:
    """From masked scores ``[1, head, query, key]`` to what no head sees, ``[query, key]``."""
    return (scores[0, 0] == torch.finfo(scores.dtype).min).cpu()


def to_host(value: Tensor) -> Tensor:
    """Float32 on the CPU."""
    return value.float().cpu()


def read_only(value: Tensor | NDArray[np.float32]) -> NDArray[np.float32]:
    """The same numbers as an array that several readers can share safely."""
    array = value.numpy() if isinstance(value, Tensor) else value
    array.setflags(write=False)
    return array


def _locked(array: NDArray[np.bool_]) -> NDArray[np.bool_]:
    array.setflags(write=False)
    return array
