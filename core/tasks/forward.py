"""One forward pass of one encoded text, watched through the hook points."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.checkpoints import Checkpoint
from core.config import Positions, StackConfig
from core.hooks import Trace, capture, captured, intervene, turn_off_heads
from core.models.body import Inputs
from core.tasks.errors import NoSuchHeadError, NotOneSidedError
from core.tasks.recording import Shelf, read_only, to_host
from core.tokenisation import Encoding

POSITIONS = "embedding.positions"


@dataclass(frozen=True)
class Forward:
    """What passed the hook points.

    Attributes:
        trace: what passed the sites asked for, float32 on the CPU.
        logits: what passed the hook point of the head asked for, ``[token, ...]``, or ``[class]``
            of a whole input, on the model's device; empty without a head.
        patterns: attention of every head ``[layer, head, query, key]``, read-only; ``None`` unless
            asked for.
        positions: rows of the position table that were added to the tokens ``[token, width]``,
            read-only; ``None`` without patterns, or in a model without a table.
        seconds: wall time of the pass, recording included.
        device: where it ran, for example ``"cpu"``.
    """

    trace: Trace
    logits: Tensor
    patterns: NDArray[np.float32] | None
    positions: NDArray[np.float32] | None
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
    head: str | None = None,
) -> Forward:
    """Run a model of one side once.

    Args:
        checkpoint: a loaded model in evaluation mode; it may be shared between threads.
        encoding: what to read.
        sites: patterns of the hook points to record.
        off: pairs of layer and head that add nothing to the residual stream.
        patterns: whether to keep all attention patterns as one array.
        head: hook point of the head whose scores are wanted, for example
            ``checkpoint.model.word_site``; ``None`` to leave all heads out.

    Raises:
        NoSuchHeadError: a pair outside the model.
        NotOneSidedError: the model has two sides.
        NothingCapturedError: nothing passed a hook point that was asked for.
    """
    require_heads(checkpoint, off)
    start = time.perf_counter()
    side, stack = one_stack(checkpoint)
    shelf = Shelf(stack.depth)
    attention = f"{side}.layers.{{}}.attention"
    table = patterns and checkpoint.config.embedding.positions is not Positions.NONE
    with (
        intervene(*turn_off_heads(off, attention=attention)),
        capture((f"{attention.format('*')}.pattern",) if patterns else (), keep=shelf.put),
        capture((POSITIONS,) if table else (), keep=to_host) as placed,
        capture((head,) if head else ()) as said,
        capture(sites, keep=to_host) as trace,
    ):
        inputs = inputs_of(checkpoint, encoding.ids, encoding.segments)
        checkpoint.model.read(inputs, predict=head is not None)
    return Forward(
        trace=trace,
        logits=said[head][0] if head else torch.empty(0),
        patterns=read_only(shelf.block[0]) if patterns else None,
        positions=read_only(placed[POSITIONS][0]) if table else None,
        seconds=time.perf_counter() - start,
        device=str(device_of(checkpoint)),
    )


def device_of(checkpoint: Checkpoint) -> torch.device:
    """Where the model is."""
    return next(checkpoint.model.parameters()).device


def inputs_of(
    checkpoint: Checkpoint,
    ids: Sequence[int],
    segments: Sequence[int] | None = None,
    target: Sequence[int] | None = None,
) -> Inputs:
    """Tokens as a model reads them, batches of one on its device.

    Args:
        checkpoint: a loaded model.
        ids: of the tokens.
        segments: of the tokens, as in an :class:`Encoding`.
        target: ids that the decoder beside an encoder reads.
    """
    device, own = device_of(checkpoint), checkpoint.model.summary_segment
    if own is not None:
        summary = checkpoint.tokenizer.cls_id  # never read from what a person typed
        known = segments or [0] * len(ids)
        segments = [own if one == summary else at for one, at in zip(ids, known, strict=True)]
    elif checkpoint.config.embedding.segments <= 1:
        segments = None  # whoever knows one segment only (RoBERTa) has no row for the second
    return Inputs(
        torch.tensor([ids], device=device),  # [1, token]
        None if segments is None else torch.tensor([segments], device=device),
        target=None if target is None else torch.tensor([target], device=device),  # [1, target]
    )


@torch.inference_mode()
def scored_words(checkpoint: Checkpoint, hidden: Tensor) -> Tensor:
    """Scores of some states ``[..., width]``, as they pass the head: ``[..., vocabulary]``.

    Raises:
        MissingHeadError: the model does not score words.
        NothingCapturedError: the head has no hook point.
    """
    model = checkpoint.model
    return captured(model.word_site, lambda: model.score_words(hidden))


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
