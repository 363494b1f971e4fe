"""One forward pass of one encoded text, watched through the hook points."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.checkpoints import Checkpoint
from core.hooks import Trace, capture, intervene, turn_off_heads
from core.tasks.errors import NoSuchHeadError
from core.tasks.recording import Shelf, read_only, to_host
from core.tokenisation import Encoding

PATTERNS = "encoder.layers.*.attention.pattern"
POSITIONS = "embedding.positions"


@dataclass(frozen=True)
class Forward:
    """What came out.

    Attributes:
        output: the model's own output object, on the model's device; ``None`` of a pass that left
            its heads out.
        trace: what passed the sites asked for, float32 on the CPU.
        patterns: attention of every head ``[layer, head, query, key]``, read-only; ``None`` unless
            asked for.
        seconds: wall time of the pass, recording included.
        device: where it ran, for example ``"cpu"``.
    """

    output: Any
    trace: Trace
    patterns: NDArray[np.float32] | None
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
    patterns: bool = False,
    predict: bool = True,
) -> Forward:
    """Run the model once.

    Args:
        checkpoint: a loaded model in evaluation mode; it may be shared between threads.
        encoding: what to read.
        sites: patterns of the hook points to record.
        off: pairs of layer and head that add nothing to the residual stream.
        patterns: whether to keep all attention patterns as one array.
        predict: whether to run the heads on top of the body, too; scoring a vocabulary at every
            token takes a tenth of a pass and more.

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
    shelf = Shelf(checkpoint.config.encoder.depth if checkpoint.config.encoder else 0)
    model: Any = checkpoint.model
    run = model if predict else model.encode
    with (
        intervene(*turn_off_heads(off)),
        capture((PATTERNS,) if patterns else (), keep=shelf.put),
        capture(sites, keep=to_host) as trace,
    ):
        output = run(ids, segments)
    seconds = time.perf_counter() - start
    kept = read_only(shelf.block[0]) if patterns else None
    return Forward(output if predict else None, trace, kept, seconds, str(device))


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
