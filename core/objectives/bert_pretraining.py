"""BERT's two objectives together: hidden words, and how two segments belong together.

Devlin et al. 2019, "BERT", section 3.1. With another relation of the segments this is ALBERT's
(Lan et al. 2020, section 3.1); without any, RoBERTa's (Liu et al. 2019, section 4.2).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import torch
from torch import Tensor

from core.objectives.inputs import Inputs
from core.objectives.losses import IGNORED, LossSum, at_places, token_loss
from core.objectives.masking import Masked, MaskingRule, mask_tokens
from core.objectives.objective import SummedObjective
from core.objectives.sentence_pairs import PairSampler


@dataclass(frozen=True)
class Layout:
    """One shape of batch.

    Attributes:
        share: of all steps.
        length: tokens a sequence.
        pairs: of the sequences, the share that are sentence pairs; the rest is running text.
        short: whether sequences are single sentences, padded, instead.
    """

    share: float
    length: int
    pairs: float = 0.0
    short: bool = False


# Mostly 128 tokens, as in the paper, but long and short inputs from the first step on: the reader
# of the app types one sentence, and the positions up to 512 are there to be used.
LAYOUTS = (
    Layout(share=0.82, length=128, pairs=0.4),
    Layout(share=0.08, length=512),
    Layout(share=0.10, length=64, short=True),
)


def layouts_within(positions: int) -> tuple[Layout, ...]:
    """``LAYOUTS`` for a model that reads no more than so many tokens."""
    return tuple(replace(one, length=min(one.length, positions)) for one in LAYOUTS)


def layout_at(step: int, layouts: tuple[Layout, ...]) -> Layout:
    """Which layout a step has: over any stretch of steps each comes in nearly its share."""
    # The golden ratio's multiples spread evenly.
    point = (step * 0.6180339887498949) % 1.0 * sum(one.share for one in layouts)
    for layout in layouts:
        point -= layout.share
        if point < 0:
            return layout
    return layouts[-1]


@dataclass(frozen=True)
class PretrainingBatch:
    """Inputs with words hidden.

    Attributes:
        masked: what the model reads and what it must predict.
        segments: as in :class:`Inputs`, as are the others; ``None`` where nothing is asked about
            pairs, for models without segments.
    """

    masked: Masked
    segments: Tensor | None
    keep: Tensor | None
    follows: Tensor

    @property
    def tokens(self) -> int:
        """Tokens the model reads, padding included."""
        return self.masked.ids.numel()


class PairModel(Protocol):
    """What this objective asks of a model: :class:`Bert` and :class:`Albert` can do it."""

    def encode(self, ids: Tensor, segments: Tensor | None, keep: Tensor | None) -> Tensor:
        """Hidden states ``[batch, token, width]``."""
        ...

    def score_words(self, hidden: Tensor) -> Tensor:
        """``[..., width]`` to ``[..., vocabulary]``."""
        ...

    def judge_pair(self, hidden: Tensor) -> Tensor:
        """``[batch, token, width]`` to ``[batch, class]``."""
        ...


class BertPretraining(SummedObjective[PairModel, PretrainingBatch]):
    """Batches and losses of masked words and, if the sampler asks for it, of pairs."""

    name = "mlm"

    def __init__(
        self,
        sampler: PairSampler,
        ordinary_ids: Tensor,
        *,
        tokens: int,
        layouts: tuple[Layout, ...] = LAYOUTS,
        rule: MaskingRule | None = None,
    ) -> None:
        """Prepare.

        Args:
            sampler: where inputs come from; its generator is the source of all chance.
            ordinary_ids: ids of all tokens that are not special.
            tokens: about how many tokens a batch holds, whatever its layout.
            layouts: the shapes of batches and how often each comes.
            rule: the masking; ``None`` for BERT's.
        """
        self.sampler = sampler
        self.ordinary_ids = ordinary_ids
        self.tokens = tokens
        self.layouts = layouts
        self.rule = rule or MaskingRule()

    def batch(self, step: int) -> PretrainingBatch:
        """Draw the batch of a step; its layout depends on nothing but the step."""
        return self.batch_of(layout_at(step, self.layouts))

    def shapes(self) -> list[PretrainingBatch]:
        """One batch of every layout, drawn without consequence for the batches of the steps."""
        generator = self.sampler.generator
        before = generator.get_state()
        batches = [self.batch_of(layout) for layout in self.layouts]
        generator.set_state(before)
        return batches

    def batch_of(self, layout: Layout) -> PretrainingBatch:
        """Draw a batch of the given layout."""
        rows = max(2, self.tokens // layout.length)
        inputs = self._inputs(layout, rows)
        return self.corrupted(inputs)

    def corrupted(self, inputs: Inputs) -> PretrainingBatch:
        """Turn inputs into what the model reads and must answer."""
        segments = None if self.sampler.relation is None else inputs.segments
        return PretrainingBatch(self.hide(inputs), segments, inputs.keep, inputs.follows)

    def hide(self, inputs: Inputs) -> Masked:
        """Choose what must be predicted."""
        return mask_tokens(
            inputs.ids,
            inputs.ordinary,
            rule=self.rule,
            mask_id=self.sampler.specials.mask,
            ordinary_ids=self.ordinary_ids,
            generator=self.sampler.generator,
        )

    def terms(self, model: PairModel, batch: PretrainingBatch) -> dict[str, LossSum]:
        """``masked`` and ``follows``; the latter only if something is asked about pairs.

        Raises:
            MissingHeadError: the model lacks a head.
        """
        masked = batch.masked
        hidden = model.encode(masked.ids, batch.segments, batch.keep)
        logits = model.score_words(at_places(hidden, masked.places))
        return {
            "masked": token_loss(logits, masked.labels, masked.weights),
            **self.pair_terms(model, hidden, batch),
        }

    def pair_terms(
        self, model: PairModel, hidden: Tensor, batch: PretrainingBatch
    ) -> dict[str, LossSum]:
        """``follows``, over the inputs that are pairs."""
        if self.sampler.relation is None:
            return {}
        labels = torch.where(batch.follows >= 0, batch.follows, IGNORED)
        return {"follows": token_loss(model.judge_pair(hidden), labels)}

    def _inputs(self, layout: Layout, rows: int) -> Inputs:
        if layout.short:
            return self.sampler.short(rows, layout.length)
        pairs = 0 if self.sampler.relation is None else round(rows * layout.pairs)
        if pairs == 0:
            return self.sampler.text(rows, layout.length)
        text = self.sampler.text(rows - pairs, layout.length)
        return text.joined(self.sampler.pair(pairs, layout.length))
