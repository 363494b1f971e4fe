"""What objectives have in common that hide words of inputs from a corpus."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch
from torch import Tensor

from core.objectives.inputs import Inputs
from core.objectives.layouts import LAYOUTS, Layout, layout_at
from core.objectives.masking import Masked, MaskingRule, mask_tokens
from core.objectives.objective import SummedObjective
from core.objectives.sentence_pairs import PairSampler


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

    @property
    def real(self) -> Tensor:
        """Boolean ``[batch, token]``, False at padding."""
        if self.keep is None:
            return torch.ones_like(self.masked.ids, dtype=torch.bool)
        return self.keep


Model = TypeVar("Model")
Batch = TypeVar("Batch", bound=PretrainingBatch)


class HiddenWords(SummedObjective[Model, Batch], Generic[Model, Batch]):
    """Draws inputs in several layouts and hides words; what is learned from them is open."""

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
            sampler: where inputs come from; its generator makes all random draws.
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

    def batch(self, step: int) -> Batch:
        """Draw the batch of a step; its layout depends on nothing but the step."""
        return self.batch_of(layout_at(step, self.layouts))

    def shapes(self) -> list[Batch]:
        """One batch of every layout, drawn without consequence for the batches of the steps."""
        generator = self.sampler.generator
        before = generator.get_state()
        batches = [self.batch_of(layout) for layout in self.layouts]
        generator.set_state(before)
        return batches

    def batch_of(self, layout: Layout) -> Batch:
        """Draw a batch of the given layout."""
        rows = max(2, self.tokens // layout.length)
        inputs = self._inputs(layout, rows)
        return self.corrupted(inputs)

    @abstractmethod
    def corrupted(self, inputs: Inputs) -> Batch:
        """Turn inputs into what the model reads and must answer."""

    def plain(self, inputs: Inputs) -> PretrainingBatch:
        """Hide single words."""
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

    def _inputs(self, layout: Layout, rows: int) -> Inputs:
        if layout.short:
            return self.sampler.short(rows, layout.length)
        pairs = 0 if self.sampler.relation is None else round(rows * layout.pairs)
        if pairs == 0:
            return self.sampler.text(rows, layout.length)
        text = self.sampler.text(rows - pairs, layout.length)
        return text.joined(self.sampler.pair(pairs, layout.length))
