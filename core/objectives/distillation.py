"""DistilBERT's objective: a small model learns from a large one's answers, states, and the text.

Source: Sanh et al. 2019, "DistilBERT, a distilled version of BERT", sections 2 and 3. From the
released training: a temperature of 2, and 5 times the loss of soft targets, 2 times that of hidden
words, once that of the states; soft targets and states are compared at every token, hidden or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from core.errors import ConfigError
from core.models.encoder import EncoderBody
from core.objectives.hidden_words import HiddenWords, PretrainingBatch
from core.objectives.inputs import Inputs
from core.objectives.layouts import LAYOUTS, Layout
from core.objectives.losses import LossSum, at_positions, token_loss
from core.objectives.masking import MaskingRule
from core.objectives.sentence_pairs import PairSampler


@dataclass(frozen=True)
class DistillationRule:
    """How the three losses are formed and weighed.

    Attributes:
        temperature: both models' scores are divided by it before their softmax.
        soft: weight of the soft targets.
        masked: weight of the hidden words.
        states: weight of the directions of the last states.
    """

    temperature: float = 2.0
    soft: float = 5.0
    masked: float = 2.0
    states: float = 1.0

    def __post_init__(self) -> None:
        if not self.temperature > 0.0:
            raise ConfigError(f"the temperature must be above 0, not {self.temperature}")
        if min(self.soft, self.masked, self.states) < 0.0:
            raise ConfigError(
                f"weights must not be negative: {self.soft}, {self.masked}, {self.states}"
            )


def soft_target_loss(
    student: Tensor, teacher: Tensor, weights: Tensor, temperature: float
) -> LossSum:
    """Divergence of the student's answers from the teacher's, times the temperature squared.

    The factor keeps the gradients as large as at a temperature of 1 (Hinton et al. 2015,
    "Distilling the Knowledge in a Neural Network", section 2).

    Args:
        student: scores, ``[..., vocabulary]``.
        teacher: likewise.
        weights: 0 where nothing is compared, ``[...]``.
        temperature: divides the scores.
    """
    wanted = (teacher.float() / temperature).log_softmax(-1)
    given = (student.float() / temperature).log_softmax(-1)
    nats = functional.kl_div(given, wanted, reduction="none", log_target=True).sum(-1)
    return LossSum((nats * weights).sum() * temperature**2, weights.sum())


def direction_loss(student: Tensor, teacher: Tensor, weights: Tensor) -> LossSum:
    """1 less the cosine between states ``[..., width]``, weighted ``[...]``."""
    apart = 1.0 - functional.cosine_similarity(student.float(), teacher.float(), dim=-1)
    return LossSum((apart * weights).sum(), weights.sum())


class Distillation(HiddenWords[EncoderBody, PretrainingBatch]):
    """Soft targets, hidden words and states; the sampler has no relation."""

    name = "distillation"

    def __init__(
        self,
        sampler: PairSampler,
        ordinary_ids: Tensor,
        teacher: EncoderBody,
        *,
        tokens: int,
        layouts: tuple[Layout, ...] = LAYOUTS,
        rule: MaskingRule | None = None,
        distilling: DistillationRule | None = None,
    ) -> None:
        """Prepare.

        Args:
            sampler: as in :class:`HiddenWords`, as are the others.
            ordinary_ids: ids of all tokens that are not special.
            teacher: a model of the same vocabulary and width as the student; it is put into
                evaluation mode and learns nothing.
            tokens: about how many tokens a batch holds.
            layouts: the shapes of batches and how often each comes.
            rule: the masking.
            distilling: how the losses are formed and weighed.
        """
        super().__init__(sampler, ordinary_ids, tokens=tokens, layouts=layouts, rule=rule)
        self.teacher = teacher.eval()
        self.distilling = distilling or DistillationRule()
        weighed = self.distilling
        self.weights = {
            "soft": weighed.soft,
            "masked": weighed.masked,
            "states": weighed.states,
        }

    def corrupted(self, inputs: Inputs) -> PretrainingBatch:
        """Hide single words."""
        return self.plain(inputs)

    def counts(self, batch: PretrainingBatch) -> dict[str, Tensor]:
        """Of ``soft``, ``masked`` and ``states``."""
        real = batch.real.sum().float()
        return {"soft": real, "masked": batch.masked.weights.sum(), "states": real}

    def terms(self, model: EncoderBody, batch: PretrainingBatch) -> dict[str, LossSum]:
        """``soft``, ``masked`` and ``states``.

        Raises:
            MissingHeadError: one of the two scores no words.
        """
        masked = batch.masked
        hidden = model.encode(masked.ids, None, batch.keep)
        logits = model.score_words(hidden)
        with torch.no_grad():
            wanted = self.teacher.encode(masked.ids, None, batch.keep)
            wanted_logits = self.teacher.score_words(wanted)
        weights = batch.real.float()
        at_masks = at_positions(logits, masked.positions)
        return {
            "soft": soft_target_loss(logits, wanted_logits, weights, self.distilling.temperature),
            "masked": token_loss(at_masks, masked.labels, masked.weights),
            "states": direction_loss(hidden, wanted, weights),
        }
