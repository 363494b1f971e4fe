"""Masks drawn once: every text has a few fixed copies that take turns.

Liu et al. 2019, "RoBERTa", section 4.1: BERT's data was masked once, in ten copies; over 40 epochs
the model saw each of a text's masks four times. Dynamic masking draws anew every time instead
(:func:`core.objectives.masking.mask_tokens`).
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.errors import ConfigError
from core.objectives.bert_pretraining import PairModel
from core.objectives.hidden_words import PretrainingBatch
from core.objectives.inputs import Inputs
from core.objectives.losses import LossSum, at_positions, token_loss
from core.objectives.masking import Masked, MaskingRule, draw_masking
from core.objectives.objective import SummedObjective


class StaticMasking:
    """Fixed maskings of a set of texts.

    Args:
        ids: all texts, ``[text, token]``.
        ordinary: boolean of the same shape, False at special tokens and padding.
        copies: how many maskings each text has.
        rule: the shares.
        mask_id: id of the mask token.
        ordinary_ids: the ids that may stand in as random tokens, ``[candidate]``.
        generator: of all random draws, on the device of ``ids``; used now and never again.

    Raises:
        ConfigError: fewer than one copy.
    """

    def __init__(
        self,
        ids: Tensor,
        ordinary: Tensor,
        *,
        copies: int = 10,
        rule: MaskingRule | None = None,
        mask_id: int,
        ordinary_ids: Tensor,
        generator: torch.Generator,
    ) -> None:
        if copies < 1:
            raise ConfigError(f"a text has at least 1 fixed masking, not {copies}")
        rule = rule or MaskingRule()
        self.copies = copies
        self._masked = [
            draw_masking(ordinary, rule=rule, ordinary_ids=ordinary_ids, generator=generator).apply(
                ids, rule=rule, mask_id=mask_id
            )
            for _ in range(copies)
        ]

    def masked(self, texts: Tensor, epoch: int) -> Masked:
        """The texts of these numbers as they are masked in an epoch, counted from 0."""
        copy = self._masked[epoch % self.copies]
        return Masked(
            copy.ids[texts], copy.positions[texts], copy.labels[texts], copy.weights[texts]
        )


class FixedTexts(SummedObjective[PairModel, PretrainingBatch]):
    """Masked words of texts that come again in every epoch, each time in another order.

    Args:
        inputs: all texts.
        masking: their fixed maskings; with as many copies as epochs, every mask is seen once.
        rows: texts a batch; those left over at the end of an epoch are passed over in it.
        generator: source of the epochs' orders; used now and never again.

    Raises:
        ConfigError: there are fewer texts than a batch holds.
    """

    name = "mlm"

    def __init__(
        self, inputs: Inputs, masking: StaticMasking, *, rows: int, generator: torch.Generator
    ) -> None:
        self.steps_an_epoch = len(inputs.ids) // rows
        if self.steps_an_epoch < 1:
            raise ConfigError(f"{len(inputs.ids)} texts are too few for a batch of {rows}")
        self.inputs = inputs
        self.masking = masking
        self.rows = rows
        self._seed = int(torch.randint(2**40, (), generator=generator, device=generator.device))

    def batch(self, step: int) -> PretrainingBatch:
        """The batch of a step; it depends on nothing but the step."""
        epoch, part = divmod(step, self.steps_an_epoch)
        device = self.inputs.ids.device
        order = torch.randperm(
            len(self.inputs.ids),
            device=device,
            generator=torch.Generator(device).manual_seed(self._seed + epoch),
        )
        texts = order[part * self.rows : (part + 1) * self.rows]
        keep = self.inputs.keep
        return PretrainingBatch(
            self.masking.masked(texts, epoch),
            None,
            None if keep is None else keep[texts],
            self.inputs.follows[texts],
        )

    def shapes(self) -> list[PretrainingBatch]:
        """All batches have one shape."""
        return [self.batch(0)]

    def counts(self, batch: PretrainingBatch) -> dict[str, Tensor]:
        """Of ``masked``."""
        return {"masked": batch.masked.weights.sum()}

    def terms(self, model: PairModel, batch: PretrainingBatch) -> dict[str, LossSum]:
        """``masked``.

        Raises:
            MissingHeadError: the model scores no words.
        """
        hidden = model.encode(batch.masked.ids, None, batch.keep)
        logits = model.score_words(at_positions(hidden, batch.masked.positions))
        return {"masked": token_loss(logits, batch.masked.labels, batch.masked.weights)}
