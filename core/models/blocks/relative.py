"""Distances between tokens inside the attention, in the way of T5."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.config import RelativeBiasConfig
from core.models.blocks.weights import Table


def buckets_of(distance: Tensor, config: RelativeBiasConfig, *, bidirectional: bool) -> Tensor:
    """The bucket of every distance ``key - query``; near ones have one each, far ones share.

    Four buckets up to a distance of 8, causal: 0 and 1 have their own, 2 and 3 share
    bucket 2, and from 4 on all share bucket 3. Keys ahead fall into bucket 0, where a causal mask
    hides them::

        distance  -9 -8 -4 -3 -2 -1  0  1
        bucket     3  3  3  2  2  1  0  0

    Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning", section 2.1.

    Args:
        distance: whole numbers of any shape.
        config: number of buckets and largest distance.
        bidirectional: half of the buckets are for keys ahead; else all are for keys behind.
    """
    count, first = config.buckets, torch.zeros_like(distance)
    if bidirectional:
        count //= 2
        first = (distance > 0).long() * count
        steps = distance.abs()
    else:
        steps = (-distance).clamp(min=0)
    exact = count // 2
    # The rest grows in equal ratios up to the largest distance.
    ratio = (steps.clamp(min=1).float() / exact).log() / math.log(config.max_distance / exact)
    shared = exact + (ratio * (count - exact)).long()
    return first + torch.where(steps < exact, steps, shared.clamp(max=count - 1))


class RelativeBias(nn.Module):
    """The scores of every head get a number for every distance, from one table.

    Args:
        config: of the buckets.
        heads: of a layer.
        width: of the layers, which says how small the table starts.
        bidirectional: as in :func:`buckets_of`.
    """

    def __init__(
        self, config: RelativeBiasConfig, heads: int, width: int, *, bidirectional: bool
    ) -> None:
        super().__init__()
        self.config = config
        self.bidirectional = bidirectional
        self.table = Table(config.buckets, heads, gain=width**-0.5)

    def forward(self, queries: int, keys: int) -> Tensor:
        """The biases of the last ``queries`` of ``keys`` positions: ``[1, head, query, key]``."""
        position = torch.arange(keys, device=self.table.weight.device)
        distance = position[None, :] - position[keys - queries :, None]  # [query, key]
        buckets = buckets_of(
            distance, self.config, bidirectional=self.bidirectional
        )  # [query, key]
        if torch.compiler.is_compiling():
            # As a product: a lookup's gradient adds up one pair after the other into a few rows,
            # which takes a GPU longer than all the attention that the biases are for.
            chosen = functional.one_hot(buckets, self.config.buckets).to(self.table.weight.dtype)
            return (chosen @ self.table.weight).permute(2, 0, 1)[None]
        return self.table(buckets).permute(2, 0, 1)[None]
