"""One forward pass of one encoded text, watched through the hook points."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.checkpoints import Checkpoint
from core.hooks import Trace, capture, intervene, turn_off_heads
from core.tasks.errors import NoSuchHeadError
from core.tokenisation import Encoding

PATTERNS = "encoder.layers.*.attention.pattern"
POSITIONS = "embedding.positions"


@dataclass(frozen=True)
class Forward:
    """What came out.

    Attributes:
        output: the model's own output object, on the model's device.
        trace: what passed the sites asked for, float32 on the CPU.
        seconds: wall time of the pass, recording included.
        device: where it ran, for example ``"cpu"``.
    """

    output: Any
    trace: Trace
    seconds: float
    device: str


def encode(
    checkpoint: Checkpoint, text: str, pair: str | None = None, *, cut: bool = False
) -> Encoding:
    """Read one or two texts for this model, as long as it has positions for.

    Raises:
        EmptyTextError, TextTooLongError, SequenceTooLongError: see :meth:`Tokenizer.encode`.
    """
    limit = checkpoint.config.embedding.max_positions
    return checkpoint.tokenizer.encode(text, pair, limit=limit, cut=cut)


@torch.inference_mode()
def forward(
    checkpoint: Checkpoint,
    encoding: Encoding,
    *,
    sites: Sequence[str] = (),
    off: Sequence[tuple[int, int]] = (),
) -> Forward:
    """Run the model once.

    Args:
        checkpoint: a loaded model in evaluation mode; it may be shared between threads.
        encoding: what to read.
        sites: patterns of the hook points to record.
        off: pairs of layer and head that add nothing to the residual stream.

    Raises:
        NoSuchHeadError: a pair outside the model.
    """
    require_heads(checkpoint, off)
    device = next(checkpoint.model.parameters()).device
    ids = torch.tensor([encoding.ids], device=device)  # [1, token]
    # Whoever knows one segment only (RoBERTa) has no row for the second.
    several = checkpoint.config.embedding.segments > 1
    segments = torch.tensor([encoding.segments], device=device) if several else None
    start = time.perf_counter()
    with intervene(*turn_off_heads(off)), capture(sites, keep=_to_host) as trace:
        output = checkpoint.model(ids, segments)
    return Forward(output, trace, time.perf_counter() - start, str(device))


def patterns_of(trace: Trace) -> NDArray[np.float32]:
    """All attention patterns of a traced pass, ``[layer, head, query, key]``, read-only."""
    return read_only(trace.stacked(PATTERNS)[:, 0])


def read_only(value: Tensor | NDArray[np.float32]) -> NDArray[np.float32]:
    """The same numbers as an array that several readers can share safely."""
    array = value.numpy() if isinstance(value, Tensor) else value
    array.setflags(write=False)
    return array


def _to_host(value: Tensor) -> Tensor:
    return value.float().cpu()


def require_heads(checkpoint: Checkpoint, pairs: Sequence[tuple[int, int]]) -> None:
    """Refuse pairs of layer and head outside the model.

    Raises:
        NoSuchHeadError: there is one.
    """
    stack = checkpoint.config.encoder
    layers = stack.depth if stack else 0
    heads = stack.layer.attention.heads if stack else 0
    for layer, head in pairs:
        if not (0 <= layer < layers and 0 <= head < heads):
            raise NoSuchHeadError(layer, head, layers, heads)
