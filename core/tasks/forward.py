"""One forward pass of one encoded text, watched through the hook points.

Attention is kept as arrays that several readers can share.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.checkpoints import Checkpoint, NoRowError
from core.config import Positions, StackConfig
from core.errors import NothingCapturedError
from core.hooks import PatternBuffer, Trace, ablate_heads, capture, captured, intervene, to_host
from core.models.body import Inputs
from core.tasks.errors import NoSuchHeadError, NotOneStackError, TooManyWeightsError
from core.tokenisation import Encoding

POSITIONS = "embedding.positions"
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
        bias = f"{name}.position_bias" if stack.shared_bias else None
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
        if not self._buffer.is_full:
            raise NothingCapturedError([f"{watched.site}.pattern"])

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


@dataclass(frozen=True)
class Forward:
    """What passed the hook points.

    Attributes:
        trace: what passed the sites asked for, float32 on the CPU.
        logits: what passed the hook point of the head asked for, ``[token, ...]``, or ``[class]``
            of a whole input, on the model's device; empty without a head.
        patterns: attention of every head ``[layer, head, query, key]``, read-only; ``None`` unless
            asked for.
        masked: boolean ``[query, key]``, True where the query may not see the key, read-only;
            ``None`` without patterns.
        positions: rows of the position table that were added to the tokens ``[token, width]``,
            read-only; ``None`` without patterns, or in a model without a table.
        seconds: wall time of the pass, recording included.
        device: where it ran, for example ``"cpu"``.
    """

    trace: Trace
    logits: Tensor
    patterns: NDArray[np.float32] | None
    masked: NDArray[np.bool_] | None
    positions: NDArray[np.float32] | None
    seconds: float
    device: str


def encode(
    checkpoint: Checkpoint, text: str, pair: str | None = None, *, cut: bool = False
) -> Encoding:
    """Read one or two texts for this model, as long as it has positions for.

    Raises:
        EmptyTextError, TextTooLongError, SequenceTooLongError: see :meth:`Tokenizer.encode`.
        NoRowError: the model has no row for a token.
    """
    limit = checkpoint.config.embedding.max_positions
    encoding = checkpoint.tokenizer.encode(text, pair, limit=limit, cut=cut)
    require_rows(checkpoint, encoding.ids)
    return encoding


@torch.inference_mode()
def forward(
    checkpoint: Checkpoint,
    encoding: Encoding,
    *,
    sites: Sequence[str] = (),
    off: Sequence[tuple[int, int]] = (),
    patterns: bool = False,
    head: str | None = None,
    hidden: Sequence[int] = (),
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
        hidden: positions that no other token sees, of a model with a query stream: what is returned
            of them, patterns and scores, is of that stream.

    Raises:
        TooManyWeightsError: more maps than there is room for.
        NoSuchHeadError: a pair outside the model.
        NotOneStackError: the model is an encoder-decoder.
        NothingCapturedError: nothing passed a hook point that was asked for.
    """
    require_heads(checkpoint, off)
    start = time.perf_counter()
    side, stack = one_stack(checkpoint)
    model = checkpoint.model
    streams = model.streams[: 2 if hidden else 1] or (None,)
    watched = AttentionSite.in_stack(side, stack, len(encoding), streams=streams)
    if patterns:
        require_room(watched)
    recorder = Recorder(watched)
    table = patterns and checkpoint.config.embedding.positions is not Positions.NONE
    inputs = inputs_of(checkpoint, encoding.ids, encoding.segments)
    if hidden:
        device, everywhere = inputs.ids.device, torch.arange(len(encoding))[None]
        order = seen_before(len(encoding), hidden)[None]  # [1, query, key]
        inputs = replace(inputs, order=order.to(device), predicted=everywhere.to(device))
    with (
        intervene(*ablate_heads(off, attention=f"{side}.layers.{{}}.attention")),
        recorder.watching() if patterns else nullcontext(),
        capture((POSITIONS,) if table else (), keep=to_host) as placed,
        capture((head,) if head else ()) as said,
        capture(sites, keep=to_host) as trace,
    ):
        model.read(inputs, predict=head is not None)
    weights = masked = None
    if patterns:
        found = [recorder.found(stream) for stream in streams]
        weights, masked = found[0].patterns, found[0].masked
        if hidden:
            rows = [*hidden]
            weights, masked = weights.copy(), masked.copy()
            weights[:, :, rows], masked[rows] = found[1].patterns[:, :, rows], found[1].masked[rows]
            weights.setflags(write=False)
            masked.setflags(write=False)
    return Forward(
        trace=trace,
        logits=said[head][0] if head else torch.empty(0),
        patterns=weights,
        masked=masked,
        positions=read_only(placed[POSITIONS][0]) if table else None,
        seconds=time.perf_counter() - start,
        device=str(device_of(checkpoint)),
    )


def seen_before(tokens: int, hidden: Collection[int]) -> Tensor:
    """Who sees whom where some tokens are seen by nobody: ``order`` of ``Inputs``.

    Of three tokens, number 1 hidden (x: may see; each visible one sees itself as well)::

             key 0  key 1  key 2
        q 0    .      .      x
        q 1    x      .      x
        q 2    x      .      .
    """
    visible = torch.ones(tokens, dtype=torch.bool)
    visible[list(hidden)] = False
    return visible.expand(tokens, -1) & ~torch.eye(tokens, dtype=torch.bool)


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

    Raises:
        NoRowError: the model has no row for one of them.
    """
    require_rows(checkpoint, [*ids, *(target or ())])
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


def require_rows(checkpoint: Checkpoint, ids: Sequence[int]) -> None:
    """Refuse tokens of a tokenizer that is larger than the model.

    Raises:
        NoRowError: naming the first for which there is no row.
    """
    rows = checkpoint.config.embedding.vocabulary
    for one in ids:
        if one >= rows:
            raise NoRowError(checkpoint.tokenizer.token(one), one, rows)


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
        NotOneStackError: it is an encoder-decoder, or has no attention within one.
    """
    config = checkpoint.config
    if (config.encoder is None) == (config.decoder is None):
        raise NotOneStackError(config.system)
    if config.encoder is not None:
        return "encoder", config.encoder
    assert config.decoder is not None
    return "decoder", config.decoder


def require_heads(checkpoint: Checkpoint, pairs: Sequence[tuple[int, int]]) -> None:
    """Refuse pairs of layer and head outside the model.

    Raises:
        NoSuchHeadError: there is one.
        NotOneStackError: as in :func:`one_stack`.
    """
    _side, stack = one_stack(checkpoint)
    layers, heads = stack.depth, stack.layer.attention.heads
    for layer, head in pairs:
        if not (0 <= layer < layers and 0 <= head < heads):
            raise NoSuchHeadError(layer, head, layers, heads)


def _hidden(scores: Tensor) -> Tensor:
    """From masked scores ``[1, head, query, key]`` to what no head sees, ``[query, key]``."""
    return (scores[0, 0] == torch.finfo(scores.dtype).min).cpu()


def read_only(value: Tensor | NDArray[np.float32]) -> NDArray[np.float32]:
    """The same numbers as an array that several readers can share safely."""
    array = value.numpy() if isinstance(value, Tensor) else value
    array.setflags(write=False)
    return array


def _locked(array: NDArray[np.bool_]) -> NDArray[np.bool_]:
    array.setflags(write=False)
    return array
