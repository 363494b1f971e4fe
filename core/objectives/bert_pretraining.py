"""BERT's two objectives together: hidden words and next sentences.

Devlin et al. 2019, "BERT", section 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional

from core.models.architectures.bert import Bert
from core.objectives.masking import Masked, MaskingRule, mask_tokens
from core.objectives.sentence_pairs import Inputs, PairSampler


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


@dataclass(frozen=True)
class PretrainingBatch:
    """Inputs with words hidden.

    Attributes:
        masked: what the model reads and what it must predict.
        segments: as in :class:`Inputs`, as are the others.
    """

    masked: Masked
    segments: Tensor
    keep: Tensor | None
    follows: Tensor

    @property
    def tokens(self) -> int:
        """Tokens the model reads, padding included."""
        return self.masked.ids.numel()


class BertPretraining:
    """Batches and losses of masked words and next sentences."""

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
        return self.batch_of(self._layout(step))

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
        masked = mask_tokens(
            inputs.ids,
            inputs.ordinary,
            rule=self.rule,
            mask_id=self.sampler.specials.mask,
            ordinary_ids=self.ordinary_ids,
            generator=self.sampler.generator,
        )
        return PretrainingBatch(masked, inputs.segments, inputs.keep, inputs.follows)

    def losses(self, model: Bert, batch: PretrainingBatch) -> Mapping[str, Tensor]:
        """``loss`` (the sum), ``masked`` and ``follows``: mean nats a place and a pair.

        Without a pair in the batch ``follows`` is 0.

        Raises:
            MissingHeadError: the model lacks one of the two heads.
        """
        masked = batch.masked
        hidden = model.encode(masked.ids, batch.segments, batch.keep)
        # Only the places go through the head: its matrix is as large as half the encoder.
        index = masked.places[..., None].expand(-1, -1, hidden.shape[-1])
        at_places = hidden.gather(1, index)  # [batch, place, width]
        logits = model.score_words(at_places)
        word = functional.cross_entropy(
            logits.float().flatten(0, 1), masked.labels.flatten(), reduction="none"
        )
        weights = masked.weights.flatten()
        word_loss = (word * weights).sum() / weights.sum()

        pair = functional.cross_entropy(
            model.judge_pair(hidden).float(), batch.follows, ignore_index=-1, reduction="sum"
        )
        pair_loss = pair / (batch.follows >= 0).sum().clamp(min=1)
        return {"loss": word_loss + pair_loss, "masked": word_loss, "follows": pair_loss}

    def _layout(self, step: int) -> Layout:
        # The golden ratio's multiples spread evenly: any stretch of steps has nearly the shares.
        point = (step * 0.6180339887498949) % 1.0 * sum(one.share for one in self.layouts)
        for layout in self.layouts:
            point -= layout.share
            if point < 0:
                return layout
        return self.layouts[-1]

    def _inputs(self, layout: Layout, rows: int) -> Inputs:
        if layout.short:
            return self.sampler.short(rows, layout.length)
        pairs = round(rows * layout.pairs)
        if pairs == 0:
            return self.sampler.text(rows, layout.length)
        text = self.sampler.text(rows - pairs, layout.length)
        pair = self.sampler.pair(pairs, layout.length)
        return Inputs(
            ids=torch.cat([text.ids, pair.ids]),
            segments=torch.cat([text.segments, pair.segments]),
            ordinary=torch.cat([text.ordinary, pair.ordinary]),
            keep=None,
            follows=torch.cat([text.follows, pair.follows]),
        )
