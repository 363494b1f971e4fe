"""Multi-head attention with every intermediate value on a hook point."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.config import AttentionConfig
from core.errors import FusedAttentionError
from core.hooks.point import HookPoint
from core.models.blocks.cache import AttentionCache, KeysValues
from core.models.blocks.masks import Mask
from core.models.blocks.norms import RootMeanSquareNorm
from core.models.blocks.rotary import rotate
from core.models.blocks.weights import Linear

_FUSED: ContextVar[bool] = ContextVar("fused", default=False)


@contextmanager
def fused_attention() -> Iterator[None]:
    """Use torch's fused kernel in this context: faster, but forms no scores and no pattern."""
    token = _FUSED.set(True)
    try:
        yield
    finally:
        _FUSED.reset(token)


def fused_wanted() -> bool:
    """Whether no score and no pattern is asked for, so that a faster way may be taken."""
    # A compiled module has no hook points, so nothing is lost by fusing it.
    return torch.compiler.is_compiling() or _FUSED.get()


class DotProductScore(nn.Module):
    """score = scale * query . key, Vaswani et al. 2017, "Attention Is All You Need", 3.2.1.

    This is the seam for variants: other ways of scoring replace this module and nothing else. The
    fused kernel knows this one way, so any other module is run as it is, on the fused path too.
    """

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        """Queries and keys ``[batch, head, token, size]`` to ``[batch, head, query, key]``."""
        # Scaling the query, not the product: as many times fewer multiplications as there are
        # keys to a feature.
        return (query * self.scale) @ key.transpose(-2, -1)


class Attention(nn.Module):
    """Several heads of attention from a sequence to itself or to another one.

    Hook points, in the order of the computation: ``query`` ``[batch, head, token, size]``; ``key``,
    ``value`` ``[batch, group, token, size]``, a group for each head unless several share one,
    queries and keys after norm and rotation; ``scores`` (scaled, with the position bias),
    ``masked_scores``, ``pattern`` (after the softmax, before dropout) ``[batch, head, query,
    key]``; ``mixed`` (each head's weighted values) ``[batch, head, query, size]``; ``output``
    ``[batch, query, width]``.

    Sources: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2; Ainslie et al. 2023,
    "GQA", section 2.2 (groups of heads that share keys and values).
    """

    def __init__(self, config: AttentionConfig, width: int) -> None:
        super().__init__()
        self.group_size = config.heads // config.groups  # heads of queries that share keys
        self.head_size = config.head_size
        self.dropout_probability = config.dropout
        inner, shared = config.heads * config.head_size, config.groups * config.head_size
        self.query_projection = Linear(
            width,
            inner,
            bias=config.bias,
            # Queries start as much smaller as the scale of their products is missing (T5).
            gain=config.head_size**-0.5 / config.score_scale,
        )
        self.key_projection = Linear(width, shared, bias=config.bias)
        self.value_projection = Linear(width, shared, bias=config.bias)
        output_bias = config.bias if config.output_bias is None else config.output_bias
        self.output_projection = Linear(inner, width, bias=output_bias)
        self.query_norm, self.key_norm = _head_norm(config), _head_norm(config)
        self.score = DotProductScore(config.score_scale)
        self.dropout = nn.Dropout(config.dropout)
        self.query, self.key, self.value = HookPoint(), HookPoint(), HookPoint()
        self.scores, self.masked_scores, self.pattern = HookPoint(), HookPoint(), HookPoint()
        self.mixed, self.output = HookPoint(), HookPoint()

    def forward(
        self,
        hidden: Tensor,
        *,
        memory: Tensor | None = None,
        mask: Mask | None = None,
        position_bias: Tensor | None = None,
        rotation: Tensor | None = None,
        cache: AttentionCache | None = None,
    ) -> Tensor:
        """Mix values for every position of ``hidden``.

        Args:
            hidden: ``[batch, query, width]``, where the queries come from.
            memory: ``[batch, key, width]``, where keys and values come from; ``None`` for
                ``hidden`` itself.
            mask: who may attend to whom; ``None`` for everybody to everybody.
            position_bias: ``[1 or batch, head, query, key]``, added to the scores.
            rotation: of queries and keys by their positions, see
                :func:`core.models.blocks.rotary.rotate`; ``None`` to leave them.
            cache: keys and values of earlier steps, which then come before those of ``hidden``;
                with a ``memory``, its own, computed once. The hook points ``key`` and ``value`` see
                what is new.

        Returns:
            ``[batch, query, width]``.

        Raises:
            FusedAttentionError: scores or pattern are watched on the fused path.
        """
        query = self.query_norm(self._split(self.query_projection(hidden)))
        query = self.query(query if rotation is None else rotate(query, rotation))
        if memory is None:
            key, value = self._keys_values(hidden, rotation)
            if cache is not None:
                key, value = cache.extend(key, value)
        elif cache is None:
            key, value = self._keys_values(memory)
        else:
            key, value = cache.once(lambda: self._keys_values(memory))
        if self.group_size > 1:
            key = key.repeat_interleave(self.group_size, dim=1)  # [batch, head, key, size]
            value = value.repeat_interleave(self.group_size, dim=1)
        if fused_wanted():
            self._refuse_watchers()
        if fused_wanted() and type(self.score) is DotProductScore:
            mixed = self._mix_fused(query, key, value, mask, position_bias, self.score.scale)
        else:
            mixed = self._mix(query, key, value, mask, position_bias)
        mixed = self.mixed(mixed)
        joined = mixed.transpose(1, 2).flatten(2)  # [batch, query, head * size]
        return self.output(self.output_projection(joined))

    def _keys_values(self, memory: Tensor, rotation: Tensor | None = None) -> KeysValues:
        key = self.key_norm(self._split(self.key_projection(memory)))
        key = self.key(key if rotation is None else rotate(key, rotation))
        return key, self.value(self._split(self.value_projection(memory)))

    def _split(self, projected: Tensor) -> Tensor:
        # [batch, token, head * size] -> [batch, head, token, size]
        return projected.view(*projected.shape[:2], -1, self.head_size).transpose(1, 2)

    def _mix(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, bias: Tensor | None
    ) -> Tensor:
        scores = self.score(query, key)  # [batch, head, query, key]
        scores = self.scores(scores if bias is None else scores + bias)
        scores = self.masked_scores(scores if mask is None else mask.apply(scores))
        pattern = self.pattern(scores.softmax(dim=-1))
        return self.dropout(pattern) @ value

    def _refuse_watchers(self) -> None:
        if torch.compiler.is_compiling():
            return
        for point in (self.scores, self.masked_scores, self.pattern):
            if site := point.watched():
                raise FusedAttentionError(site.name)

    def _mix_fused(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Mask | None,
        bias: Tensor | None,
        scale: float,
    ) -> Tensor:
        causal = bias is None and mask is not None and mask.only_causal
        keep = None if mask is None or causal else mask.keep
        if bias is not None:
            # In any other type or layout, the kernel for masks with gradients cannot be taken.
            bias = bias.to(query.dtype).contiguous()
            keep = bias if mask is None else mask.apply(bias)
        return functional.scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask=keep,
            dropout_p=self.dropout_probability if self.training else 0.0,
            is_causal=causal,
            scale=scale,
        )


def _head_norm(config: AttentionConfig) -> nn.Module:
    if config.head_norm_epsilon is None:
        return nn.Identity()
    return RootMeanSquareNorm(config.head_size, config.head_norm_epsilon)
