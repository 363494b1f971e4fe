"""Attention that scores distances, not positions: Transformer-XL's, as XLNet uses it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.config import AttentionConfig, ModelConfig
from core.errors import FusedAttentionError
from core.hooks.point import HookPoint
from core.models.blocks.attention import fused_wanted
from core.models.blocks.masks import Mask
from core.models.blocks.positions import waves
from core.models.blocks.weights import Linear


def distances(queries: int, keys: int, width: int, device: torch.device) -> Tensor:
    """Waves for every distance from a query back to a key, ``[keys + queries, width]``.

    Row 0 stands for a key that lies ``keys`` tokens back, the last one for a key that lies
    ``queries - 1`` ahead.
    """
    back = torch.arange(keys, -queries, -1, device=device)
    # XLNet was trained with phases in float32.
    return waves(back, width, interleaved=False, phases=torch.float32)


def shift(scores: Tensor, positions: Tensor, queries: int, keys: int) -> Tensor:
    """From scores by distance to scores by key.

    Query ``i`` of ``n`` finds key ``j`` in row ``n - i + j`` of :func:`distances`. Three queries
    and keys, rows 0 to 5 for keys 3 back to 2 ahead::

        by distance            by key
        query 0  0 1 2 3 4 5   3 4 5
        query 1  0 1 2 3 4 5   2 3 4
        query 2  0 1 2 3 4 5   1 2 3

    Source: Dai et al. 2019, "Transformer-XL", appendix B.

    Args:
        scores: ``[batch, head, query, keys + queries]``.
        positions: where each query stands among the tokens of the text, ``[batch or 1, query]``.
        queries: tokens of the text.
        keys: the same and those of the memory.
    """
    steps = torch.arange(keys, device=scores.device)
    index = (queries - positions)[:, None, :, None] + steps  # [batch or 1, 1, query, key]
    return scores.gather(-1, index.expand(*scores.shape[:3], keys))


class RelativeScore(nn.Module):
    """score = scale * (content + position + segment), each from the query and a bias of its own.

    Hook points, not scaled: ``content_scores``, ``position_scores``, ``segment_scores``
    ``[batch, head, query, key]``.

    Sources: Dai et al. 2019, "Transformer-XL", section 3.3; Yang et al. 2019, "XLNet", section 2.5
    (the segment term).
    """

    def __init__(self, config: AttentionConfig, width: int) -> None:
        super().__init__()
        self.scale = config.score_scale
        shape = (config.heads, config.head_size)
        self.distance_projection = Linear(width, config.heads * config.head_size, bias=False)
        self.content_bias = nn.Parameter(torch.zeros(shape))
        self.position_bias = nn.Parameter(torch.zeros(shape))
        self.segment_bias = nn.Parameter(torch.zeros(shape))
        self.segment_table = nn.Parameter(torch.zeros(2, *shape))  # the same segment, another one
        self.content_scores, self.position_scores = HookPoint(), HookPoint()
        self.segment_scores = HookPoint()

    def initialise(self, config: ModelConfig) -> None:
        """Draw what is no layer: the biases and the table of segments."""
        for drawn in (self.content_bias, self.position_bias, self.segment_bias, self.segment_table):
            drawn.normal_(0.0, config.initial_deviation)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        distance: Tensor,
        positions: Tensor,
        other_segment: Tensor | None,
    ) -> Tensor:
        """Queries and keys ``[batch, head, token, size]`` to ``[batch, head, query, key]``.

        Args:
            query: of one stream.
            key: of the memory and then the text.
            distance, positions, other_segment: as in :class:`RelativeAttention`.
        """
        heads, keys = key.shape[1], key.shape[2]
        # A row a distance, [distance, head, size]; its scores, [batch, head, query, distance].
        rows = self.distance_projection(distance).view(len(distance), heads, -1)
        scores = self.content_scores(_biased(query, self.content_bias) @ key.transpose(-2, -1))
        by_distance = _biased(query, self.position_bias) @ rows.permute(1, 2, 0)
        queries = len(distance) - keys
        scores = scores + self.position_scores(shift(by_distance, positions, queries, keys))
        if other_segment is not None:
            table = self.segment_table.permute(1, 2, 0)  # [head, size, 2]
            both = _biased(query, self.segment_bias) @ table  # [batch, head, query, 2]
            index = other_segment[:, None].expand(-1, heads, -1, -1)  # [batch, head, query, key]
            scores = scores + self.segment_scores(both.gather(-1, index))
        return scores * self.scale


def _biased(query: Tensor, bias: Tensor) -> Tensor:
    return query + bias[:, None]  # [batch, head, query, size] + [head, 1, size]


class RelativeAttention(nn.Module):
    """Attention whose ``score`` knows distances: see :class:`RelativeScore`.

    Hook points as in :class:`core.models.blocks.attention.Attention`.
    """

    def __init__(self, config: AttentionConfig, width: int) -> None:
        super().__init__()
        self.heads = config.heads
        inner = config.heads * config.head_size
        self.query_projection = Linear(width, inner, bias=False)
        self.key_projection = Linear(width, inner, bias=False)
        self.value_projection = Linear(width, inner, bias=False)
        self.output_projection = Linear(inner, width, bias=False)
        self.score = RelativeScore(config, width)
        self.dropout = nn.Dropout(config.dropout)
        self.query, self.key, self.value = HookPoint(), HookPoint(), HookPoint()
        self.scores, self.masked_scores, self.pattern = HookPoint(), HookPoint(), HookPoint()
        self.mixed, self.output = HookPoint(), HookPoint()

    def forward(
        self,
        hidden: Tensor,
        content: Tensor,
        *,
        distance: Tensor,
        positions: Tensor,
        other_segment: Tensor | None = None,
        mask: Mask | None = None,
    ) -> Tensor:
        """Mix values of the content for every position of ``hidden``.

        Args:
            hidden: ``[batch, query, width]``, where the queries come from.
            content: ``[batch, key, width]``, the memory and then the text.
            distance: of :func:`distances`, ``[distance, width]``.
            positions: where each query stands in the text, ``[batch or 1, query]``.
            other_segment: ``[batch, query, key]``, 1 where the key belongs to another segment than
                the query, else 0; ``None`` for no segment term.
            mask: who may attend to whom; ``None`` for everybody to everybody.

        Returns:
            ``[batch, query, width]``.

        Raises:
            FusedAttentionError: scores or pattern are watched on the fused path.
        """
        if fused_wanted() and (site := self.pattern.watched()):
            raise FusedAttentionError(site.name)
        query = self.query(self._split(self.query_projection(hidden)))
        key = self.key(self._split(self.key_projection(content)))
        value = self.value(self._split(self.value_projection(content)))
        scores = self.scores(self.score(query, key, distance, positions, other_segment))
        scores = self.masked_scores(scores if mask is None else mask.apply(scores))
        pattern = self.pattern(scores.softmax(dim=-1))
        mixed = self.mixed(self.dropout(pattern) @ value)
        joined = mixed.transpose(1, 2).flatten(2)  # [batch, query, head * size]
        return self.output(self.output_projection(joined))

    def _split(self, projected: Tensor) -> Tensor:
        # [batch, token, head * size] -> [batch, head, token, size]
        return projected.view(*projected.shape[:2], self.heads, -1).transpose(1, 2)
