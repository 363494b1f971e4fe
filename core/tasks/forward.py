"""One forward pass of one encoded text, watched through the hook points."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core.checkpoints import Checkpoint
from core.config import StackConfig
from core.hooks import Trace, capture, intervene, turn_off_heads
from core.models.decoder import DecoderBody
from core.models.encoder import EncoderBody
from core.models.permutation import PermutationBody
from core.tasks.errors import NoSuchHeadError, NotOneSidedError
from core.tasks.recording import Shelf, read_only, to_host
from core.tokenisation import Encoding

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
    """Run a model of one side once.

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
        NotOneSidedError: the model has two sides.
    """
    require_heads(checkpoint, off)
    device = next(checkpoint.model.parameters()).device
    read = [torch.tensor([encoding.ids], device=device)]  # [1, token]
    segments = segments_of(checkpoint, encoding)
    if segments is not None:
        read.append(torch.tensor([segments], device=device))
    start = time.perf_counter()
    side, stack = one_stack(checkpoint)
    shelf = Shelf(stack.depth)
    attention = f"{side}.layers.{{}}.attention"
    with (
        intervene(*turn_off_heads(off, attention=attention)),
        capture((f"{attention.format('*')}.pattern",) if patterns else (), keep=shelf.put),
        capture(sites, keep=to_host) as trace,
    ):
        output = checkpoint.model(*read) if predict else _body(checkpoint.model)(*read)
    seconds = time.perf_counter() - start
    kept = read_only(shelf.block[0]) if patterns else None
    return Forward(output if predict else None, trace, kept, seconds, str(device))


def _body(model: nn.Module) -> Callable[..., object]:
    """What runs a model of one side without its heads."""
    if isinstance(model, DecoderBody):
        return model.decode
    if isinstance(model, PermutationBody):
        return model.read
    assert isinstance(model, EncoderBody)
    return model.encode


def one_stack(checkpoint: Checkpoint) -> tuple[str, StackConfig]:
    """The name and the configuration of the one stack of a model.

    Raises:
        NotOneSidedError: it has two sides, or no attention within one.
    """
    config = checkpoint.config
    if (config.encoder is None) == (config.decoder is None):
        raise NotOneSidedError(config.system)
    if config.encoder is not None:
        return "encoder", config.encoder
    assert config.decoder is not None
    return "decoder", config.decoder


def segments_of(checkpoint: Checkpoint, encoding: Encoding) -> tuple[int, ...] | None:
    """The segment of every token as the model reads them; ``None`` if it knows only one.

    XLNet's summary at the end is a segment of its own.
    """
    if isinstance(checkpoint.model, PermutationBody):
        summary = checkpoint.tokenizer.cls_id
        return tuple(
            2 if special and number == summary else segment
            for number, special, segment in zip(
                encoding.ids, encoding.special, encoding.segments, strict=True
            )
        )
    # Whoever knows one segment only (RoBERTa) has no row for the second.
    return encoding.segments if checkpoint.config.embedding.segments > 1 else None


def require_heads(checkpoint: Checkpoint, pairs: Sequence[tuple[int, int]]) -> None:
    """Refuse pairs of layer and head outside the model.

    Raises:
        NoSuchHeadError: there is one.
        NotOneSidedError: as in :func:`one_stack`.
    """
    _side, stack = one_stack(checkpoint)
    layers, heads = stack.depth, stack.layer.attention.heads
    for layer, head in pairs:
        if not (0 <= layer < layers and 0 <= head < heads):
            raise NoSuchHeadError(layer, head, layers, heads)
