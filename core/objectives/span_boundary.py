"""SpanBERT's two objectives: hidden spans from everything, and from their two boundaries alone.

Source: Joshi et al. 2020, "SpanBERT", sections 3.1 and 3.2: single segments, no pairs, and the sum
of both losses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from core.objectives.hidden_words import HiddenWords, PretrainingBatch
from core.objectives.inputs import Inputs
from core.objectives.layouts import LAYOUTS, Layout
from core.objectives.losses import LossSum, at_positions, token_loss
from core.objectives.masking import MaskingRule
from core.objectives.sentence_pairs import PairSampler
from core.objectives.span_masking import SpanLengths, SpanMasked, mask_spans


class SpanModel(Protocol):
    """What this objective asks: :class:`core.models.heads_span.SpanTrainee` can do it."""

    def encode(self, ids: Tensor, segments: Tensor | None, keep: Tensor | None) -> Tensor:
        """Hidden states ``[batch, token, width]``."""
        ...

    def score_words(self, hidden: Tensor) -> Tensor:
        """``[..., width]`` to ``[..., vocabulary]``."""
        ...

    def score_spans(self, left: Tensor, right: Tensor, offset: Tensor) -> Tensor:
        """As :class:`core.models.heads_span.SpanBoundaryHead`, with the model's own table."""
        ...


@dataclass(frozen=True)
class SpanBatch(PretrainingBatch):
    """A batch whose hidden words form spans."""

    spans: SpanMasked


class SpanPretraining(HiddenWords[SpanModel, SpanBatch]):
    """Hidden spans and their boundaries; its sampler has no relation."""

    name = "span"

    def __init__(
        self,
        sampler: PairSampler,
        ordinary_ids: Tensor,
        continuations: Tensor,
        *,
        tokens: int,
        layouts: tuple[Layout, ...] = LAYOUTS,
        rule: MaskingRule | None = None,
        lengths: SpanLengths | None = None,
        positions: int = 20,
    ) -> None:
        """Prepare.

        Args:
            sampler: as in :class:`HiddenWords`, as are the others.
            ordinary_ids: ids of all tokens that are not special.
            continuations: boolean ``[id]``, True for pieces that continue a word.
            tokens: about how many tokens a batch holds.
            layouts: the shapes of batches and how often each comes.
            rule: the masking.
            lengths: how many words a span has.
            positions: tokens of a span that the boundary head can tell apart; it is not asked for
                further ones.
        """
        super().__init__(sampler, ordinary_ids, tokens=tokens, layouts=layouts, rule=rule)
        self.continuations = continuations
        self.lengths = lengths or SpanLengths()
        self.positions = positions

    def corrupted(self, inputs: Inputs) -> SpanBatch:
        """Hide spans."""
        spans = mask_spans(
            inputs.ids,
            inputs.ordinary,
            self.continuations[inputs.ids],
            rule=self.rule,
            lengths=self.lengths,
            mask_id=self.sampler.specials.mask,
            ordinary_ids=self.ordinary_ids,
            generator=self.sampler.generator,
        )
        return SpanBatch(spans.masked, None, inputs.keep, inputs.follows, spans)

    def counts(self, batch: SpanBatch) -> dict[str, Tensor]:
        """Of ``masked`` and ``boundary``."""
        return {"masked": batch.masked.weights.sum(), "boundary": self._within(batch).sum()}

    def terms(self, model: SpanModel, batch: SpanBatch) -> dict[str, LossSum]:
        """``masked`` and ``boundary``.

        Raises:
            MissingHeadError: the model scores no words.
        """
        masked, spans = batch.masked, batch.spans
        hidden = model.encode(masked.ids, None, batch.keep)
        logits = model.score_words(at_positions(hidden, masked.positions))
        from_boundaries = model.score_spans(
            at_positions(hidden, spans.left),
            at_positions(hidden, spans.right),
            spans.offset.clamp(max=self.positions - 1),
        )
        return {
            "masked": token_loss(logits, masked.labels, masked.weights),
            "boundary": token_loss(from_boundaries, masked.labels, self._within(batch)),
        }

    def _within(self, batch: SpanBatch) -> Tensor:
        return torch.where(batch.spans.offset < self.positions, batch.masked.weights, 0.0)
