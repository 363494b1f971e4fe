"""What every head of every layer attends to."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from core.checkpoints import Checkpoint
from core.config import Head, Positions
from core.hooks import Trace, capture, to_host
from core.models.body import Inputs
from core.models.encoder_decoder import TARGET
from core.tasks.detect_replaced import REPLACED
from core.tasks.errors import NoAttentionError, NotReadError, OrderError
from core.tasks.forward import (
    POSITIONS,
    AttentionSite,
    Recorder,
    device_of,
    encode,
    inputs_of,
    one_stack,
    read_only,
    require_room,
)
from core.tasks.two_texts import TwoTexts, read_two_texts
from core.tokenisation import Encoding

Order = Sequence[int] | Literal["random"]


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """One kind of attention: every head of every layer over one pair of texts. Read-only.

    Attributes:
        name: ``encoder``, ``decoder``, ``cross``, ``content`` or ``query``.
        query: the tokens that attend, one row each. A decoder's row is that of the token it reads,
            from which it writes the next one.
        key: the tokens that are attended to, one column each.
        patterns: weights ``[layer, head, query, key]``; rows sum to 1, also those that mean
            nothing, see ``masked_rows``.
        masked: boolean ``[query, key]``, True where the query may not see the key.
        bias: ``[head, query, key]``, what T5 adds to the scores of all layers; ``None`` elsewhere.
        positions: rows of the position table that were added to the query tokens
            ``[query, width]``; ``None`` for a model without a table.
    """

    name: str
    query: Encoding
    key: Encoding
    patterns: NDArray[np.float32]
    masked: NDArray[np.bool_]
    bias: NDArray[np.float32] | None = None
    positions: NDArray[np.float32] | None = None

    @property
    def masked_rows(self) -> NDArray[np.bool_]:
        """Boolean ``[query]``, True for a token that may see nothing: its row says nothing."""
        return np.asarray(self.masked.all(axis=1))

    @property
    def seen(self) -> int:
        """Keys that the last token may see: all of them, unless it has a window or is padding."""
        return int((~self.masked[-1]).sum())


@dataclass(frozen=True, eq=False)
class AttendResult:
    """Attention of one forward pass.

    Attributes:
        encoding: the text, exactly the tokens that ran.
        maps: every kind of attention that the model has: ``encoder``; ``decoder`` (GPT);
            ``content``, with an order ``query`` too (XLNet); ``encoder``, ``decoder`` and ``cross``
            (Transformer, T5); ``cross`` (a recurrent model).
        seconds: wall time of the pass, without that of writing the target.
        device: where it ran.
        target: what a decoder beside an encoder read, its start token first; else ``None``.
        written: whether the model wrote the target itself.
        ended: whether what it wrote has come to its end; True for a given target.
        order: positions of the tokens in the order in which they were read, or ``None``.
        logits: what passed the hook point of the head in the same pass, read-only: scores of every
            piece ``[token, vocabulary]``, of a discriminator those of being replaced ``[token]``.
            Tokens are those of the target where there is one, and with an order of the query
            stream. ``None`` unless asked for, and of a model without such a head.
    """

    encoding: Encoding
    maps: tuple[AttentionMap, ...]
    seconds: float
    device: str
    target: Encoding | None = None
    written: bool = False
    ended: bool = True
    order: tuple[int, ...] | None = None
    logits: NDArray[np.float32] | None = None

    @property
    def patterns(self) -> NDArray[np.float32]:
        """Of the first kind, ``[layer, head, query, key]``: all there is in most models."""
        return self.maps[0].patterns

    @property
    def positions(self) -> NDArray[np.float32] | None:
        """Of the first kind, ``[token, width]``."""
        return self.maps[0].positions

    def __getitem__(self, name: str) -> AttentionMap:
        """The kind of this name; ``KeyError`` if there is none."""
        for one in self.maps:
            if one.name == name:
                return one
        raise KeyError(name)


def attend(
    checkpoint: Checkpoint,
    text: str,
    pair: str | None = None,
    *,
    cut: bool = False,
    target: str | None = None,
    language: str | None = None,
    order: Order | None = None,
    seed: int = 0,
    logits: bool = False,
) -> AttendResult:
    """Read one text, or two, and record every attention pattern.

    Args:
        checkpoint: a loaded model of any system.
        text: what a person typed. Where the vocabulary has sentinels (T5), ``___``, ``___8___`` and
            ``___*___`` stand for them here and in the target.
        pair: a second text, or ``None``.
        cut: leave out the end of the longer text until both fit, instead of refusing.
        target: what a decoder beside an encoder reads; without it, the model writes it itself, each
            time the likeliest piece.
        language: into which one it writes, where the vocabulary has tokens for several.
        order: positions of tokens in the order in which XLNet reads them, or ``"random"``. Tokens
            that are left out come last, as they stand; a random order leaves out the special ones.
        seed: of a random order.
        logits: also keep the scores of the head.

    Raises:
        EmptyTextError: nothing to read in one of the texts.
        TextTooLongError: too many characters.
        SequenceTooLongError: too many tokens, and ``cut`` is off.
        TooManyWeightsError: more maps or logits than there is room for.
        NotReadError: the model reads no target, no language or no order.
        OrderError: the order names a token twice, or one that is not there.
        UnknownLanguageError: the vocabulary has no token for the language.
        MissingHeadError: there is no target and the model does not write.
        NoAttentionError: a recurrent model without an alignment.
        NoBlankError, BlankSizeError, TooManyBlanksError: see
            :func:`core.tasks.fill_spans.find_blanks`.
    """
    model, system = checkpoint.model, checkpoint.config.system
    for what, given, reads in (
        ("target", target, model.text_to_text),
        ("language", language, model.text_to_text),
        ("order", order, bool(model.streams)),
    ):
        if given is not None and not reads:
            raise NotReadError(what, system)
    if model.text_to_text:
        require_attention(checkpoint)
        read = read_two_texts(checkpoint, text, pair, cut=cut, target=target, language=language)
        return attend_two_texts(checkpoint, read, written=target is None, logits=logits)
    encoding = encode(checkpoint, text, pair, cut=cut)
    if model.streams:
        return _streams(checkpoint, encoding, order, seed, logits=logits)
    return _one_stack(checkpoint, encoding, logits=logits)


class _Pass:
    """One pass of a model, watched.

    Args:
        checkpoint: a loaded model.
        watched: where attention is found.
        scored: how many tokens the head is to score; 0 to leave it out.
    """

    def __init__(
        self, checkpoint: Checkpoint, watched: Sequence[AttentionSite], scored: int = 0
    ) -> None:
        head = _head_of(checkpoint) if scored else None
        words = head == checkpoint.model.word_site
        classes = checkpoint.config.embedding.vocabulary if words else 1
        require_room(*watched, logits=scored * classes if head else 0)
        self.model = checkpoint.model
        self.device = device_of(checkpoint)
        self.recorders = [Recorder(one) for one in watched]
        self.seconds = 0.0
        self._start = 0.0
        table = checkpoint.config.embedding.positions is not Positions.NONE
        self._head = head
        self._sites = [site for site in (POSITIONS if table else None, head) if site]
        self._trace: Trace | None = None
        self._stack = ExitStack()

    def __enter__(self) -> _Pass:
        self._start = time.perf_counter()
        self._stack.enter_context(torch.inference_mode())
        for recorder in self.recorders:
            self._stack.enter_context(recorder.watching())
        self._trace = self._stack.enter_context(capture(self._sites, keep=to_host))
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)
        self.seconds = time.perf_counter() - self._start

    def read(self, inputs: Inputs) -> None:
        """Run the model, and its heads where they are watched."""
        self.model.read(inputs, predict=self._head is not None)

    @property
    def logits(self) -> NDArray[np.float32] | None:
        """What passed the hook point of the head, ``[token, ...]``; ``None`` if it was left out."""
        if self._head is None:
            return None
        assert self._trace is not None
        return read_only(self._trace[self._head][0])

    def map(
        self,
        number: int,
        name: str,
        query: Encoding,
        key: Encoding | None = None,
        *,
        stream: str | None = None,
        side: str | None = None,
    ) -> AttentionMap:
        """What one recorder has recorded, ``side`` being the stream of the queries' embedding."""
        found = self.recorders[number].found(stream)
        assert self._trace is not None
        rows = self._trace.matching(POSITIONS, side)
        return AttentionMap(
            name=name,
            query=query,
            key=query if key is None else key,
            patterns=found.patterns,
            masked=found.masked,
            bias=found.bias,
            positions=read_only(rows[0].value[0]) if rows else None,
        )


def _head_of(checkpoint: Checkpoint) -> str | None:
    """The hook point of the head that scores every token."""
    if checkpoint.model.scores_words:
        return checkpoint.model.word_site
    return REPLACED if Head.REPLACED_TOKEN in checkpoint.config.heads else None


def _one_stack(checkpoint: Checkpoint, encoding: Encoding, *, logits: bool) -> AttendResult:
    name, stack = one_stack(checkpoint)
    tokens = len(encoding)
    with _Pass(checkpoint, [AttentionSite.in_stack(name, stack, tokens)], tokens * logits) as ran:
        ran.read(inputs_of(checkpoint, encoding.ids, encoding.segments))
    maps = (ran.map(0, name, encoding),)
    return AttendResult(encoding, maps, ran.seconds, str(ran.device), logits=ran.logits)


def _streams(
    checkpoint: Checkpoint, encoding: Encoding, order: Order | None, seed: int, *, logits: bool
) -> AttendResult:
    side, stack = one_stack(checkpoint)
    whole_order = None if order is None else _complete(order, encoding, seed)
    streams = checkpoint.model.streams[: 1 if whole_order is None else 2]
    watched = AttentionSite.in_stack(side, stack, len(encoding), streams=streams)
    with _Pass(checkpoint, [watched], len(encoding) * logits) as ran:
        inputs = inputs_of(checkpoint, encoding.ids, encoding.segments)
        if whole_order is not None:
            rank = torch.tensor(whole_order, device=ran.device).argsort()
            inputs = replace(
                inputs,
                order=(rank[None, :] < rank[:, None])[None],  # [1, query, key]
                predicted=torch.arange(len(whole_order), device=ran.device)[None],
            )
        ran.read(inputs)
    maps = tuple(ran.map(0, stream, encoding, stream=stream) for stream in streams)
    return AttendResult(
        encoding, maps, ran.seconds, str(ran.device), order=whole_order, logits=ran.logits
    )


def _complete(order: Order, encoding: Encoding, seed: int) -> tuple[int, ...]:
    """The order of all tokens."""
    tokens = len(encoding)
    if order == "random":
        generator = torch.Generator().manual_seed(seed % 2**63)
        permutation = torch.randperm(tokens, generator=generator).tolist()
        named = [position for position in permutation if not encoding.special[position]]
    else:
        named = list(map(int, order))
    for number, position in enumerate(named):
        if not 0 <= position < tokens or position in named[:number]:
            raise OrderError(position, tokens)
    return (*named, *(position for position in range(tokens) if position not in set(named)))


def require_attention(checkpoint: Checkpoint) -> None:
    """Refuse an encoder-decoder neither side of which attends to anything.

    Raises:
        NoAttentionError: a recurrent model without an alignment.
    """
    recurrent = checkpoint.config.recurrent
    if recurrent is not None and recurrent.alignment is None:
        raise NoAttentionError


def attend_two_texts(
    checkpoint: Checkpoint,
    read: TwoTexts,
    *,
    written: bool,
    padding: int = 0,
    logits: bool = False,
) -> AttendResult:
    """Record every attention pattern of an encoder and a decoder over two texts in pieces.

    Args:
        checkpoint: an encoder-decoder.
        read: what they read.
        written: whether the model has written the target.
        padding: so many tokens at the end of the source are padding, which nothing attends to.
        logits: also keep the scores of the next pieces.

    Raises:
        TooManyWeightsError, NoAttentionError: as :func:`attend`.
    """
    require_attention(checkpoint)
    config = checkpoint.config
    queries, keys = len(read.target), len(read.source)
    cross = "decoder.layers.*.cross_attention"
    if config.encoder is None or config.decoder is None:
        watched = [AttentionSite(cross, 1, 1, queries, keys)]
        names = ["cross"]
    else:
        depth, heads = config.decoder.depth, config.decoder.layer.attention.heads
        watched = [
            AttentionSite.in_stack("encoder", config.encoder, keys),
            AttentionSite.in_stack("decoder", config.decoder, queries),
            AttentionSite(cross, depth, heads, queries, keys),
        ]
        names = ["encoder", "decoder", "cross"]
    with _Pass(checkpoint, watched, queries * logits) as ran:
        keep = None
        if padding:
            keep = torch.arange(keys, device=ran.device)[None] < keys - padding  # [1, key]
        inputs = inputs_of(checkpoint, read.source.ids, target=read.target.ids)
        ran.read(replace(inputs, keep=keep))
    maps = []
    for number, name in enumerate(names):
        query = read.source if name == "encoder" else read.target
        key = read.target if name == "decoder" else read.source
        side = None if name == "encoder" else TARGET
        maps.append(ran.map(number, name, query, key, side=side))
    return AttendResult(
        read.source,
        tuple(maps),
        ran.seconds,
        str(ran.device),
        target=read.target,
        written=written,
        ended=read.ended,
        logits=ran.logits,
    )
