"""Hiding whole spans of words, each with one corruption.

Source: Joshi et al. 2020, "SpanBERT", section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.errors import ConfigError
from core.objectives.masking import Masked, MaskingRule, corrupt

_SLACK = 8  # tokens: a span that ends the budget ends with its word


@dataclass(frozen=True)
class SpanLengths:
    """How many words a span has: geometric, cut off and brought back to a sum of 1.

    The paper says "clipped", yet its mean of 3.80 and the released code belong to this form; with
    all longer spans cut to ten words the mean would be 4.46.

    Attributes:
        probability: of the geometric distribution.
        longest: words.
    """

    probability: float = 0.2
    longest: int = 10

    def __post_init__(self) -> None:
        if not 0.0 < self.probability < 1.0 or self.longest < 1:
            raise ConfigError(
                f"a probability of {self.probability} and at most {self.longest} words"
                " make no span lengths"
            )

    def probabilities(self) -> Tensor:
        """Of 1 to ``longest`` words, ``[longest]``."""
        raw = self.probability * (1 - self.probability) ** torch.arange(self.longest)
        return raw / raw.sum()

    def draw(self, batch: int, count: int, generator: torch.Generator) -> Tensor:
        """Lengths ``[batch, count]``, on the device of the generator."""
        probabilities = self.probabilities().to(generator.device).expand(batch, -1)
        return 1 + torch.multinomial(probabilities, count, replacement=True, generator=generator)


@dataclass(frozen=True)
class Spans:
    """Spans of sequences.

    Attributes:
        number: the span of each token, counted from 1; 0 outside, ``[batch, token]``.
        starts: first token of span k at index k, ``[batch, span + 1]``.
        ends: first token after span k at index k, ``[batch, span + 1]``.
    """

    number: Tensor
    starts: Tensor
    ends: Tensor


def draw_spans(
    ordinary: Tensor,
    continues: Tensor,
    *,
    share: float,
    lengths: SpanLengths,
    generator: torch.Generator,
) -> Spans:
    """Choose spans of whole words until the share of ordinary tokens is reached.

    A span keeps the length it was drawn with until there is room for it: one that holds no
    special token and leaves a token between itself and every other span, so that both its
    boundaries can be seen. The span that reaches the share ends with the word that does.

    Args:
        ordinary: boolean ``[batch, token]``, False at special tokens and padding.
        continues: boolean of the same shape, True where a token continues the word before it.
        share: of the ordinary tokens.
        lengths: how many words a span has.
        generator: of all random draws, on the device of ``ordinary``.
    """
    batch, length = ordinary.shape
    position = torch.arange(length, device=ordinary.device).expand(batch, -1)
    before = torch.nn.functional.pad(ordinary, (1, 0))[:, :-1]
    word = (~(continues & ordinary & before)).long().cumsum(1).contiguous()  # [batch, token]
    tokens = ordinary.sum(1, keepdim=True)
    budget = (share * tokens).round().clamp(min=1).long()
    limit = _most_positions(share, length)
    rounds = 8 + limit // 2  # twice as many as are needed, or more
    probabilities = torch.where(tokens > 0, ordinary.float(), 1.0)
    anchors = torch.multinomial(probabilities, rounds, replacement=True, generator=generator)
    sizes = lengths.draw(batch, rounds, generator)
    number = torch.zeros_like(position)
    starts = torch.zeros(batch, rounds + 1, dtype=torch.long, device=ordinary.device)
    ends, total = torch.zeros_like(starts), torch.zeros_like(tokens)
    done = torch.zeros_like(tokens)  # spans placed so far, [batch, 1]
    for anchor in anchors.split(1, dim=1):
        first = word.gather(1, anchor)
        start = torch.searchsorted(word, first)
        end = torch.searchsorted(word, first + sizes.gather(1, done))
        last = (start + budget - total - 1).clamp(0, length - 1)  # reaches the share
        end = torch.minimum(end, torch.searchsorted(word, word.gather(1, last) + 1))
        inside = (position >= start) & (position < end)
        around = (position >= start - 1) & (position <= end)
        blocked = (inside & ~ordinary) | (around & (number > 0))
        fits = ~blocked.any(1, keepdim=True) & (total < budget) & (total + end - start <= limit)
        done = done + fits
        number = torch.where(inside & fits, done, number)
        starts = torch.where(fits, starts.scatter(1, done, start), starts)
        ends = torch.where(fits, ends.scatter(1, done, end), ends)
        total = total + fits * (end - start)
        done = done.clamp(max=rounds - 1)
    return Spans(number, starts, ends)


def _most_positions(share: float, length: int) -> int:
    return min(length, max(1, round(share * length)) + _SLACK)


@dataclass(frozen=True)
class SpanMasked:
    """Sequences with hidden spans, and what stands around each hidden token.

    Attributes:
        masked: what the model reads and must predict.
        left: the last token before the span that a position is in, ``[batch, position]``.
        right: position of the first token after it.
        offset: tokens of the span before the position.
        spans: all spans.
    """

    masked: Masked
    left: Tensor
    right: Tensor
    offset: Tensor
    spans: Spans


def mask_spans(
    ids: Tensor,
    ordinary: Tensor,
    continues: Tensor,
    *,
    rule: MaskingRule,
    lengths: SpanLengths,
    mask_id: int,
    ordinary_ids: Tensor,
    generator: torch.Generator,
) -> SpanMasked:
    """Hide spans; one draw says whether all of a span is masked, replaced or kept.

    Args:
        ids: ``[batch, token]``.
        ordinary: boolean of the same shape, False at special tokens and padding; the first and the
            last token of a sequence are special.
        continues: boolean of the same shape, True where a token continues the word before it.
        rule: the shares.
        lengths: how many words a span has.
        mask_id: id of the mask token.
        ordinary_ids: the ids that may stand in as random tokens, ``[candidate]``.
        generator: of all random draws, on the device of ``ids``.
    """
    batch, length = ids.shape
    spans = draw_spans(ordinary, continues, share=rule.share, lengths=lengths, generator=generator)
    limit = _most_positions(rule.share, length)
    position = torch.arange(length, device=ids.device)
    # Chosen positions in their order, then others.
    order = torch.where(spans.number > 0, position, position + length)
    positions = order.topk(limit, largest=False, sorted=True).values % length
    number = spans.number.gather(1, positions)
    corruption_draws = torch.rand(spans.starts.shape, device=ids.device, generator=generator)
    chosen = torch.randint(
        len(ordinary_ids), (batch, limit), device=ids.device, generator=generator
    )
    masked = corrupt(
        ids,
        positions,
        number > 0,
        corruption_draws=corruption_draws.gather(1, number),
        random_ids=ordinary_ids[chosen],
        rule=rule,
        mask_id=mask_id,
    )
    start, end = spans.starts.gather(1, number), spans.ends.gather(1, number)
    return SpanMasked(
        masked,
        left=(start - 1).clamp(min=0),
        right=end.clamp(max=length - 1),
        offset=torch.where(number > 0, positions - start, 0),
        spans=spans,
    )
