"""Random orders of reading a text, and the tokens to predict on the way.

Source: Yang et al. 2019, "XLNet: Generalized Autoregressive Pretraining for Language
Understanding", sections 2.2 and 2.3, and 3.1 for the spans. Taken from the paper: one
token in K is predicted, K = 6, in spans of 1 to 5 tokens, each span somewhere in a stretch K times
its length. Taken from the released code: a span of n tokens has a probability proportional to 1 /
n; the number of predicted tokens is fixed, by leaving spans out or adding single tokens; and tokens
that are not predicted see each other whatever their order, as nothing about a prediction is lost by
that. Ours: special tokens always belong to the context.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.errors import ConfigError


@dataclass(frozen=True)
class OrderRule:
    """Which tokens are predicted, and what the others see.

    Attributes:
        one_in: K; one token in so many is predicted.
        longest: tokens of a span.
        open_context: whether tokens that are not predicted all see each other; else each sees
            those that come before it in the order, as in the paper's formula.
    """

    one_in: int = 6
    longest: int = 5
    open_context: bool = True

    def __post_init__(self) -> None:
        if self.one_in < 2 or self.longest < 1:
            raise ConfigError(
                f"one token in {self.one_in}, in spans of at most {self.longest}, is no rule:"
                " at least one in 2, in spans of 1 or more"
            )

    def count(self, tokens: int) -> int:
        """How many tokens of a full sequence are predicted: at least one."""
        return max(1, round(tokens / self.one_in))


@dataclass(frozen=True)
class Orders:
    """Orders of reading.

    Attributes:
        rank: of each token in the order; -1 for an open context, ``[batch, token]``.
        before: boolean ``[batch, token, token]``, True where a key comes before a query: ``order``
            of :meth:`core.models.permutation.PermutationBody.read_streams`.
        targets: positions to predict, ascending, ``[batch, position]``.
        weights: 1 at real positions, 0 where a sequence has fewer, ``[batch, position]``.
    """

    rank: Tensor
    before: Tensor
    targets: Tensor
    weights: Tensor


@dataclass(frozen=True)
class OrderMasks:
    """Who may see whom in one order of reading: boolean ``[query, key]``, True for "may see".

    Attributes:
        content: of the stream that knows each token: those before it in the order, and itself.
        query: of the stream that predicts each token: those before it, not itself.
    """

    content: Tensor
    query: Tensor


def order_masks(order: Sequence[int]) -> OrderMasks:
    """The masks of both streams for a whole text read in one order.

    Worked example, the order 1-4-2-3 of the lecture, here ``(0, 3, 1, 2)`` (x: may see)::

        content  1  2  3  4        query  1  2  3  4
        1        x  .  .  .        1      .  .  .  .
        2        x  x  .  x        2      x  .  .  x
        3        x  x  x  x        3      x  x  .  x
        4        x  .  .  x        4      x  .  .  .

    Args:
        order: every position once, in the order in which the tokens are read.

    Raises:
        ConfigError: the order leaves out a position or names one twice.
    """
    if sorted(order) != list(range(len(order))):
        raise ConfigError(f"an order names every position once: {tuple(order)}")
    rank = torch.tensor(order).argsort()
    query = rank[None, :] < rank[:, None]
    return OrderMasks(query | torch.eye(len(order), dtype=torch.bool), query)


def draw_orders(ordinary: Tensor, *, rule: OrderRule, generator: torch.Generator) -> Orders:
    """Draw what is predicted, and an order in which everything else comes first.

    Worked example: of the tokens a b c d, d and b are predicted, in this order (x: may see)::

             a  b  c  d
        a    .  .  x  .     context sees context; itself is left to the body
        b    x  .  x  x     the second prediction sees the first one's token
        c    x  .  .  .
        d    x  .  x  .

    Args:
        ordinary: boolean ``[batch, token]``, False at special tokens and padding.
        rule: how many, and what sees what.
        generator: of all random draws, on the device of ``ordinary``.
    """
    batch, length = ordinary.shape
    device = ordinary.device
    in_span = _draw_spans(ordinary, rule, generator)  # [batch, token], inf outside
    uniforms = torch.rand(batch, length, device=device, generator=generator)
    # Spans first, whole ones as far as they go, then single tokens, never special ones.
    choice = torch.where(in_span.isfinite(), in_span, 1.0 + uniforms).masked_fill(~ordinary, 3.0)
    limit = rule.count(length)
    found, positions = choice.topk(limit, largest=False)
    wanted = (ordinary.sum(1) / rule.one_in).round().clamp(min=1)
    real = (torch.arange(limit, device=device) < wanted[:, None]) & (found < 3.0)
    predicted = torch.zeros_like(ordinary).scatter(1, positions, real)

    order = torch.rand(batch, length, device=device, generator=generator) + predicted
    rank = order.argsort(1).argsort(1)  # predicted tokens after all others
    before = rank[:, None, :] < rank[:, :, None]
    if rule.open_context:
        rank = torch.where(predicted, rank, -1)
        other = ~torch.eye(length, dtype=torch.bool, device=device)
        before = torch.where(predicted[:, None, :], before, other)
    targets, arrangement = torch.where(real, positions, length + positions).sort(1)
    return Orders(rank, before, targets % length, real.gather(1, arrangement).float())


def _draw_spans(ordinary: Tensor, rule: OrderRule, generator: torch.Generator) -> Tensor:
    # A uniform draw in [0, 1) for the span of each token; infinite outside of spans.
    batch, length = ordinary.shape
    device = ordinary.device
    windows = -(-length // rule.one_in)  # as many as there are if all are of one token
    probabilities = (1 / torch.arange(1, rule.longest + 1, device=device)).expand(batch, -1)
    sizes = 1 + torch.multinomial(probabilities, windows, replacement=True, generator=generator)
    ends = (rule.one_in * sizes).cumsum(1)  # windows lie side by side over the ordinary tokens
    slack = rule.one_in * sizes - sizes + 1
    shift = torch.rand(batch, windows, device=device, generator=generator)
    starts = ends - rule.one_in * sizes + (shift * slack).long().minimum(slack - 1)
    number = ordinary.long().cumsum(1) - 1  # of each ordinary token among them
    window = torch.searchsorted(ends, number.clamp(min=0), right=True).clamp(max=windows - 1)
    start = starts.gather(1, window)
    inside = ordinary & (number >= start) & (number < start + sizes.gather(1, window))
    uniforms = torch.rand(batch, windows, device=device, generator=generator).gather(1, window)
    return torch.where(inside, uniforms, torch.inf)
