"""XLNet's objective: predict tokens of a text in a random order of reading.

Source: Yang et al. 2019, "XLNet", sections 2.2 to 2.4; what is predicted and in which order is
drawn by :mod:`core.objectives.permutation_orders`.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.models.permutation import PermutationBody
from core.objectives.layouts import LAYOUTS, Layout, layout_at
from core.objectives.losses import LossSum, token_loss
from core.objectives.objective import SummedObjective
from core.objectives.permutation_orders import OrderRule, Orders, draw_orders
from core.objectives.pieces import Specials
from core.objectives.texts import TextSampler


@dataclass(frozen=True)
class PermutationBatch:
    """Texts with an order of reading.

    Attributes:
        ids: nothing is hidden in them: ``text [SEP] [CLS]``, ``[batch, token]``.
        keep: boolean, False at padding; ``None`` if nothing is padded.
        orders: who sees whom, and what is predicted.
        labels: tokens at the targets, ``[batch, position]``.
        earlier: the text before, which is only remembered, ``[batch, remembered]``, or ``None``.
    """

    ids: Tensor
    keep: Tensor | None
    orders: Orders
    labels: Tensor
    earlier: Tensor | None

    @property
    def tokens(self) -> int:
        """Tokens the model reads, padding included."""
        return self.ids.numel() + (0 if self.earlier is None else self.earlier.numel())


def closed(text: Tensor, sizes: Tensor, specials: Specials) -> Tensor:
    """Texts with what stands after them: ``text [SEP] [CLS]`` and padding, ``[batch, token + 2]``.

    Args:
        text: ``[batch, token]``.
        sizes: tokens of each that are text, ``[batch]``.
        specials: of the vocabulary.
    """
    position = torch.arange(text.shape[1] + 2, device=text.device)
    size = sizes[:, None]
    ids = torch.nn.functional.pad(text, (0, 2))
    ids = torch.where(position == size, specials.separator, ids)
    ids = torch.where(position == size + 1, specials.classify, ids)
    return torch.where(position > size + 1, specials.padding, ids)


class PermutationPretraining(SummedObjective[PermutationBody, PermutationBatch]):
    """Batches and loss of permutation language modelling."""

    name = "permutation"

    def __init__(
        self,
        sampler: TextSampler,
        specials: Specials,
        *,
        tokens: int,
        layouts: tuple[Layout, ...] = LAYOUTS,
        rule: OrderRule | None = None,
        memory: int = 0,
    ) -> None:
        """Prepare.

        Args:
            sampler: where texts come from; its generator makes all random draws, and its
                longest text is as long as the longest layout and the memory together.
            specials: ids of the special tokens.
            tokens: about how many tokens a batch holds, whatever its layout.
            layouts: the shapes of batches and how often each comes; pairs are not asked for.
            rule: what is predicted.
            memory: tokens before a running text that the model remembers; 0 for none.
        """
        self.sampler = sampler
        self.specials = specials
        self.tokens = tokens
        self.layouts = layouts
        self.rule = rule or OrderRule()
        self.memory = memory

    def batch(self, step: int) -> PermutationBatch:
        """Draw the batch of a step; its layout depends on nothing but the step."""
        return self.batch_of(layout_at(step, self.layouts))

    def shapes(self) -> list[PermutationBatch]:
        """One batch of every layout, drawn without consequence for the batches of the steps."""
        generator = self.sampler.generator
        before = generator.get_state()
        batches = [self.batch_of(layout) for layout in self.layouts]
        generator.set_state(before)
        return batches

    def batch_of(self, layout: Layout) -> PermutationBatch:
        """Draw a batch of the given layout."""
        rows, room = max(1, self.tokens // layout.length), layout.length - 2
        earlier = None
        if layout.short:
            text, sizes = self.sampler.sentences(rows, room)
        else:
            text, sizes = self.sampler.running(rows, self.memory + room)
            if self.memory:
                earlier, text = text[:, : self.memory], text[:, self.memory :]
                sizes = sizes - self.memory
        position = torch.arange(layout.length, device=text.device)
        size = sizes[:, None]
        ids = closed(text, sizes, self.specials)
        orders = draw_orders(position < size, rule=self.rule, generator=self.sampler.generator)
        return PermutationBatch(
            ids,
            position <= size + 1 if layout.short else None,
            orders,
            ids.gather(1, orders.targets),
            earlier,
        )

    def counts(self, batch: PermutationBatch) -> dict[str, Tensor]:
        """Of ``predicted``."""
        return {"predicted": batch.orders.weights.sum()}

    def terms(self, model: PermutationBody, batch: PermutationBatch) -> dict[str, LossSum]:
        """``predicted``: at the targets, from the query stream.

        Raises:
            MissingHeadError: the model scores no words.
        """
        memory = None
        if batch.earlier is not None:
            with torch.no_grad():
                length = batch.earlier.shape[1]
                memory = model.read_streams(batch.earlier, memory_length=length).memory
        streams = model.read_streams(
            batch.ids,
            None,
            batch.keep,
            order=batch.orders.before,
            targets=batch.orders.targets,
            memory=memory,
        )
        assert streams.query is not None
        logits = model.score_words(streams.query)
        return {"predicted": token_loss(logits, batch.labels, batch.orders.weights)}
