"""T5's objective: spans are cut out of a text, and the model says what they were.

Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
Transformer", sections 3.1.4 and 3.3.4. As in the released code, text and spans take turns, text
first, and both are divided at random, all divisions being equally likely: the number of tokens cut
out and the number of spans follow from the length alone. As in the paper's figure 2, one sentinel
more closes the targets.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.errors import ConfigError
from core.objectives.splicing import splice
from core.objectives.text_to_text import TextToText, TextToTextBatch, teacher_forced
from core.objectives.texts import Texts, TextSampler


@dataclass(frozen=True)
class CorruptionRule:
    """How much is cut out.

    Attributes:
        share: of the tokens of a text.
        mean: tokens of a span on average.
    """

    share: float = 0.15
    mean: float = 3.0

    def __post_init__(self) -> None:
        if not 0.0 < self.share < 1.0 or not self.mean >= 1.0:
            raise ConfigError(
                f"a share of {self.share} in spans of {self.mean} tokens cannot be cut out"
            )

    def counts(self, length: int) -> tuple[int, int]:
        """Tokens and spans that are cut out: 77 and 26 of 512.

        Raises:
            ConfigError: the text is shorter than two tokens.
        """
        if length < 2:
            raise ConfigError(f"a text of {length} tokens is too short to cut a span out")
        tokens = min(max(round(length * self.share), 1), length - 1)
        spans = min(max(round(tokens / self.mean), 1), length - tokens)
        return tokens, spans


def divide(batch: int, items: int, parts: int, generator: torch.Generator) -> Tensor:
    """Sizes of ``parts`` parts of at least one item, all divisions equally likely.

    Returns:
        ``[batch, part]``, each row adding up to ``items``.
    """
    device = generator.device
    uniforms = torch.rand(batch, items - 1, device=device, generator=generator)
    borders = 1 + uniforms.topk(parts - 1).indices.sort(1).values
    edges = torch.nn.functional.pad(borders, (1, 0), value=0)
    return torch.cat([edges[:, 1:], edges.new_full((batch, 1), items)], 1) - edges


def draw_corruption(
    batch: int, length: int, *, rule: CorruptionRule, generator: torch.Generator
) -> Tensor:
    """The number of the span of each token, counted from 1; 0 outside, ``[batch, token]``."""
    tokens, spans = rule.counts(length)
    cut = divide(batch, tokens, spans, generator)
    left = divide(batch, length - tokens, spans, generator)
    ends = torch.stack([left, cut], dim=2).flatten(1).cumsum(1)  # text, span, text, span, ...
    position = torch.arange(length, device=ends.device).expand(batch, -1).contiguous()
    part = torch.searchsorted(ends, position, right=True)
    return torch.where(part % 2 == 1, (part + 1) // 2, 0)


class SpanCorruption(TextToText):
    """Batches and loss of span corruption; all batches have one shape and no padding."""

    name = "corruption"

    def __init__(
        self,
        sampler: TextSampler,
        sentinels: Tensor,
        *,
        tokens: int,
        length: int = 512,
        rule: CorruptionRule | None = None,
        start_id: int = 0,
        end_id: int = 1,
        padding_id: int = 0,
    ) -> None:
        """Prepare.

        Args:
            sampler: where texts come from; its generator makes all random draws.
            sentinels: ids of the sentinels in their order, ``[sentinel]``.
            tokens: about how many tokens of text a batch holds.
            length: tokens of a text before anything is cut out.
            rule: how much is cut out.
            start_id: what the decoder reads first.
            end_id: what ends both sides.
            padding_id: what would come after it.

        Raises:
            ConfigError: there are too few sentinels.
        """
        self.rule = rule or CorruptionRule()
        self.cut, self.spans = self.rule.counts(length)
        if self.spans >= len(sentinels):
            raise ConfigError(
                f"{self.spans} spans and a closing need {self.spans + 1} sentinels, not"
                f" {len(sentinels)}"
            )
        self.sampler = sampler
        self.sentinels = sentinels[: self.spans + 1]
        self.rows = max(1, tokens // length)
        self.length = length
        self.start_id, self.end_id, self.padding_id = start_id, end_id, padding_id

    def batch(self, step: int) -> TextToTextBatch:  # noqa: ARG002 - all steps are alike
        """Draw a batch."""
        return self.cut_out(self.sampler.running(self.rows, self.length))

    def cut_out(self, texts: Texts) -> TextToTextBatch:
        """Cut spans out of texts that are full to the last of ``length`` tokens."""
        ids, sizes = texts
        spans = draw_corruption(
            len(ids), self.length, rule=self.rule, generator=self.sampler.generator
        )
        both = splice(
            ids,
            sizes,
            spans,
            self.sentinels[None, :, None].expand(len(ids), -1, -1),
            end_id=self.end_id,
            padding_id=self.padding_id,
            source_width=self.length - self.cut + self.spans + 1,
            target_width=self.cut + self.spans + 2,
        )
        inputs, labels = teacher_forced(
            both.targets, both.target_sizes, start_id=self.start_id, padding_id=self.padding_id
        )
        return TextToTextBatch(both.source, None, inputs, labels)

    def shapes(self) -> list[TextToTextBatch]:
        """All batches have one shape."""
        before = self.sampler.generator.get_state()
        batch = self.batch(0)
        self.sampler.generator.set_state(before)
        return [batch]
