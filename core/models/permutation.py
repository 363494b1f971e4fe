"""The body that reads a text in any order: XLNet's two streams, with a memory of earlier text.

Source: Yang et al. 2019, "XLNet: Generalized Autoregressive Pretraining for Language
Understanding", sections 2.2 to 2.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from core.config import LayerConfig, ModelConfig
from core.errors import ConfigError
from core.hooks.point import HookPoint
from core.hooks.sites import at_layer, in_stream
from core.models.blocks.build import build_embedding, build_norm
from core.models.blocks.feed_forward import FeedForward
from core.models.blocks.masks import Mask
from core.models.blocks.relative_attention import RelativeAttention, distances
from core.models.body import Body, Inputs, Reading
from core.models.heads import build_language_head
from core.models.heads_label import build_label_heads

CONTENT, QUERY = "content", "query"


@dataclass(frozen=True)
class Surroundings:
    """What one stream of a layer is told about where its queries stand.

    Attributes:
        distance: waves of all distances, ``[distance, width]``.
        positions: where each query stands in the text, ``[batch or 1, query]``.
        other_segment: see :class:`RelativeAttention`.
        mask: who may attend to whom; ``None`` for everybody to everybody.
    """

    distance: Tensor
    positions: Tensor
    other_segment: Tensor | None
    mask: Mask | None


class PermutationLayer(nn.Module):
    """A post-norm layer whose streams share all weights.

    Hook points, all ``[batch, token, width]``: ``input``, ``after_attention``,
    ``after_attention_norm``, ``after_feed_forward``, ``output``.
    """

    def __init__(self, config: LayerConfig) -> None:
        super().__init__()
        self.attention = RelativeAttention(config.attention, config.width)
        self.attention_norm = build_norm(config)
        self.feed_forward = FeedForward(config.feed_forward, config.width)
        self.feed_forward_norm = build_norm(config)
        self.dropout = nn.Dropout(config.dropout)
        self.input, self.output = HookPoint(), HookPoint()
        self.after_attention, self.after_attention_norm = HookPoint(), HookPoint()
        self.after_feed_forward = HookPoint()

    def forward(self, hidden: Tensor, content: Tensor, around: Surroundings) -> Tensor:
        """Move one stream one layer on.

        Args:
            hidden: of the stream, ``[batch, query, width]``.
            content: memory and text of the content stream, ``[batch, key, width]``.
            around: where the queries stand.
        """
        hidden = self.input(hidden)
        mixed = self.attention(
            hidden,
            content,
            distance=around.distance,
            positions=around.positions,
            other_segment=around.other_segment,
            mask=around.mask,
        )
        hidden = self.after_attention(hidden + self.dropout(mixed))
        hidden = self.after_attention_norm(self.attention_norm(hidden))
        branch = self.dropout(self.feed_forward(hidden))
        hidden = self.after_feed_forward(hidden + branch)
        return self.output(self.feed_forward_norm(hidden))


class PermutationStack(nn.Module):
    """The layers of an XLNet, in their order."""

    def __init__(self, config: LayerConfig, depth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList([PermutationLayer(config) for _ in range(depth)])


@dataclass(frozen=True)
class Streams:
    """What a reading gives.

    Attributes:
        content: knows each token and its context, ``[batch, token, width]``.
        query: knows each target's position and context but not the token,
            ``[batch, target, width]``; ``None`` without targets.
        memory: what each layer got, for the next segment: ``[batch, kept, width]`` each.
    """

    content: Tensor
    query: Tensor | None
    memory: tuple[Tensor, ...]


class PermutationBody(Body):
    """Token embedding and the stack; a learned vector starts the query stream."""

    streams = (CONTENT, QUERY)
    summary_segment = 2
    predicts = "words in any order"

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        if config.encoder is None:
            raise ConfigError(f"{config.system} needs an encoder")
        self.config = config
        self.embedding = build_embedding(config.embedding)
        self.query_start = nn.Parameter(torch.zeros(config.embedding.width))
        self.encoder = PermutationStack(config.encoder.layer, config.encoder.depth)
        self.language = build_language_head(config)
        for name, head in build_label_heads(config, config.embedding.width).items():
            self.add_module(name, head)

    def initialise(self, config: ModelConfig) -> None:
        """Draw the vector that starts the query stream.

        Without it the first norm would stretch next to nothing to length 1, and gradients with it.
        """
        self.query_start.normal_(0.0, config.initial_deviation)

    def read_streams(
        self,
        ids: Tensor,
        segments: Tensor | None = None,
        keep: Tensor | None = None,
        *,
        order: Tensor | None = None,
        targets: Tensor | None = None,
        memory: Sequence[Tensor] | None = None,
        memory_length: int = 0,
    ) -> Streams:
        """Read one segment of a text.

        In the order 0, 2, 1 of three tokens, ``order`` of the query stream is (x: may see)::

                 key 0  key 1  key 2
            q 0    .      .      .      nothing comes before it
            q 1    x      .      x
            q 2    x      .      .

        The content stream sees the same and each token itself.

        Args:
            ids: token ids ``[batch, token]``.
            segments: segment ids of the same shape; ``None`` for no segment term.
            keep: boolean of the same shape, False at padding; ``None`` if nothing is padded.
            order: boolean ``[batch or 1, token, token]``, True where a key comes before a query;
                ``None`` for everybody before everybody, as after the training.
            targets: positions that the query stream predicts, ``[batch, target]``; ``None`` for
                none.
            memory: of the segment before, one tensor a layer; everybody may see all of it.
            memory_length: how many tokens the returned memory has at most; 0 for none.
        """
        batch, tokens = ids.shape
        past = 0 if memory is None else memory[0].shape[1]
        seen = self._allowed(tokens, keep, order)  # [batch or 1, query, key]
        positions = torch.arange(tokens, device=ids.device)[None]
        width = self.config.embedding.width
        distance = distances(tokens, past + tokens, width, ids.device).to(self.query_start.dtype)

        def around(rows: Tensor, allowed: Tensor | None) -> Surroundings:
            mask = None
            if allowed is not None:
                visible = nn.functional.pad(_rows(allowed, rows), (past, 0), value=True)
                mask = Mask(visible[:, None])
            return Surroundings(distance, rows, _other_segment(segments, rows, past), mask)

        itself = torch.eye(tokens, dtype=torch.bool, device=ids.device)  # [query, key]
        content_view = around(positions, None if seen is None else seen | itself)
        with in_stream(CONTENT):
            content = self.embedding(ids)  # [batch, token, width]
        query = query_view = None
        if targets is not None:
            query_view = around(targets, seen)
            query = self.query_start.expand(batch, targets.shape[1], -1)  # [batch, target, width]
        kept: list[Tensor] = []
        for number, layer in enumerate(self.encoder.layers):
            before = content if memory is None else torch.cat([memory[number], content], dim=1)
            if memory_length:
                kept.append(before[:, -memory_length:].detach())
            with at_layer(number):
                with in_stream(CONTENT):
                    moved = layer(content, before, content_view)
                if query is not None and query_view is not None:
                    with in_stream(QUERY):
                        query = layer(query, before, query_view)
            content = moved
        return Streams(content, query, tuple(kept))

    def read(self, inputs: Inputs, *, predict: bool = True) -> Reading:
        """See :meth:`Body.read`."""
        streams = self.read_streams(
            inputs.ids,
            inputs.segments,
            inputs.keep,
            order=inputs.order,
            targets=inputs.predicted,
        )
        return self._predicted(streams, predict, inputs.keep)

    def forward(
        self,
        ids: Tensor,
        segments: Tensor | None = None,
        keep: Tensor | None = None,
        **options: Any,
    ) -> Reading:
        """As :meth:`read`; arguments as in :meth:`read_streams`."""
        return self._predicted(self.read_streams(ids, segments, keep, **options), True)

    def _predicted(self, streams: Streams, predict: bool, keep: Tensor | None = None) -> Reading:
        hidden = streams.content if streams.query is None else streams.query
        if not predict:
            return Reading(hidden, memory=streams.memory)
        return Reading(
            hidden,
            None if self.language is None else self.score_words(hidden),
            label_logits=self.give_labels(hidden, keep),
            memory=streams.memory,
        )

    @staticmethod
    def _allowed(tokens: int, keep: Tensor | None, order: Tensor | None) -> Tensor | None:
        """Which keys each query may see, itself not counted: ``[batch or 1, token, token]``."""
        if keep is None:
            return order
        visible = keep[:, None, :].expand(-1, tokens, -1)
        return visible if order is None else visible & order


def _rows(allowed: Tensor, positions: Tensor) -> Tensor:
    """The rows of some queries: ``[batch, token, key]`` to ``[batch, query, key]``."""
    batch = max(len(allowed), len(positions))
    index = positions[..., None].expand(batch, -1, allowed.shape[-1])
    return allowed.expand(batch, -1, -1).gather(1, index)


def _other_segment(segments: Tensor | None, positions: Tensor, past: int) -> Tensor | None:
    """1 where a key belongs to another segment than its query; the memory counts as segment 0."""
    if segments is None:
        return None
    of_queries = segments.gather(1, positions.expand(len(segments), -1))
    of_keys = nn.functional.pad(segments, (past, 0))  # [batch, key]
    return (of_queries[:, :, None] != of_keys[:, None, :]).long()
