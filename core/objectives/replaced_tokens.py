"""ELECTRA's objective, and those its paper compares it with.

Source: Clark et al. 2020, "ELECTRA: Pre-training Text Encoders as Discriminators Rather Than
Generators", section 2 (the objective; 50 times the second loss) and 3.4 (the comparison). As in the
paper every hidden token is masked for the generator; the released code leaves 15 % of them as they
are.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum

import torch
from torch import Tensor
from torch.nn import functional

from core.models.architectures.electra import Electra
from core.models.electra_pair import ElectraPair
from core.objectives.hidden_words import HiddenWords, PretrainingBatch
from core.objectives.inputs import Inputs
from core.objectives.layouts import LAYOUTS, Layout
from core.objectives.losses import LossSum, at_positions, binary_loss, token_loss
from core.objectives.masking import MaskingRule
from core.objectives.sentence_pairs import PairSampler


class SecondLoss(Enum):
    """What the second network learns from a text in which a generator has replaced tokens."""

    REPLACED = "replaced"  # which of all tokens were replaced: ELECTRA
    REPLACED_AT_MASKS = "replaced_at_masks"  # asked at hidden positions only: ELECTRA 15 %
    MASKED = "masked"  # the original tokens at hidden positions: Replace MLM
    ALL_TOKENS = "all_tokens"  # the original tokens everywhere, some copied: All-Tokens MLM


@dataclass(frozen=True)
class ReplacedBatch(PretrainingBatch):
    """Hidden words, and the random numbers that will fill them.

    Attributes:
        originals: the text, ``[batch, token]``.
        uniforms: in [0, 1), one for each position, ``[batch, position]``.
        temperatures: of the samples, one for each text, ``[batch]``.
    """

    originals: Tensor
    uniforms: Tensor
    temperatures: Tensor


def sample_tokens(logits: Tensor, uniforms: Tensor) -> Tensor:
    """The token at which the cumulative probabilities pass a uniform draw.

    Probabilities 0.2, 0.5, 0.3 and the uniforms 0.1, 0.2 and 0.9 give the tokens 0, 1 and 2.

    Args:
        logits: ``[..., vocabulary]``.
        uniforms: in [0, 1), ``[...]``.
    """
    added = logits.detach().float().softmax(-1).cumsum(-1)
    mark = uniforms[..., None] * added[..., -1:]
    return torch.searchsorted(added, mark, right=True)[..., 0].clamp(max=logits.shape[-1] - 1)


def copy_loss(
    logits: Tensor, replaced: Tensor, seen: Tensor, originals: Tensor, weights: Tensor
) -> LossSum:
    """Predict every token, by copying it or by naming it.

    The probability of a token is ``D * (it is the one seen) + (1 - D) * softmax``, with the copy
    probability ``D = sigmoid(-replaced)``.

    Args:
        logits: ``[batch, token, vocabulary]``.
        replaced: score for "this token was replaced", ``[batch, token]``.
        seen: what the network reads, ``[batch, token]``.
        originals: what it should say, ``[batch, token]``.
        weights: 0 where nothing is asked, ``[batch, token]``.
    """
    likely = logits.float().log_softmax(-1).gather(-1, originals[..., None])[..., 0]
    replaced = replaced.float()
    named = functional.logsigmoid(replaced) + likely
    either = torch.logaddexp(functional.logsigmoid(-replaced), named)
    nats = -torch.where(seen == originals, either, named)
    return LossSum((nats * weights).sum(), weights.sum())


class ReplacedTokens(HiddenWords[ElectraPair, ReplacedBatch]):
    """Generator and second network, trained together; the sampler has no relation."""

    name = "replaced"

    def __init__(
        self,
        sampler: PairSampler,
        ordinary_ids: Tensor,
        *,
        tokens: int,
        layouts: tuple[Layout, ...] = LAYOUTS,
        rule: MaskingRule | None = None,
        second: SecondLoss = SecondLoss.REPLACED,
        alone: bool = False,
        highest_temperature: float = 1.0,
    ) -> None:
        """Prepare.

        Args:
            sampler: as in :class:`HiddenWords`, as are the others.
            ordinary_ids: ids of all tokens that are not special.
            tokens: about how many tokens a batch holds.
            layouts: the shapes of batches and how often each comes.
            rule: the masking; ``None`` for 15 %, all masked.
            second: what the second network learns; all but replaced tokens need a network that
                scores words, the copying one needs both heads.
            alone: only the generator learns, as a beginning: samples of one that knows nothing are
                told from words too easily.
            highest_temperature: the samples of a text are drawn at a temperature between 1, the
                paper's, and this: a reader who replaces a word takes less likely ones than a
                generator.
        """
        rule = rule or MaskingRule(masked=1.0, replaced=0.0)
        super().__init__(sampler, ordinary_ids, tokens=tokens, layouts=layouts, rule=rule)
        self.second = second
        self.alone = alone
        self.highest_temperature = highest_temperature
        binary = second in (SecondLoss.REPLACED, SecondLoss.REPLACED_AT_MASKS)
        self.weights = {"second": 50.0 if binary else 1.0}

    def corrupted(self, inputs: Inputs) -> ReplacedBatch:
        """Hide words and draw the uniforms that choose what replaces them."""
        plain = self.plain(inputs)
        positions = plain.masked.positions
        generator, device = self.sampler.generator, positions.device
        uniforms = torch.rand(positions.shape, device=device, generator=generator)
        share = torch.rand(len(positions), device=device, generator=generator)
        temperatures = 1.0 + (self.highest_temperature - 1.0) * share
        parts = {one.name: getattr(plain, one.name) for one in fields(plain)}
        return ReplacedBatch(
            **parts, originals=inputs.ids, uniforms=uniforms, temperatures=temperatures
        )

    def counts(self, batch: ReplacedBatch) -> dict[str, Tensor]:
        """Of ``masked`` and, unless the generator learns alone, ``second``."""
        hidden = {"masked": batch.masked.weights.sum()}
        return hidden if self.alone else {**hidden, "second": self._asked(batch).sum()}

    def terms(self, model: ElectraPair, batch: ReplacedBatch) -> dict[str, LossSum]:
        """``masked``, the generator's, and ``second`` unless that learns alone.

        Raises:
            MissingHeadError: a network lacks a head.
        """
        masked = batch.masked
        hidden = model.generator.encode(masked.ids, batch.segments, batch.keep)
        logits = model.generator.score_words(at_positions(hidden, masked.positions))
        words = token_loss(logits, masked.labels, masked.weights)
        if self.alone:
            return {"masked": words}
        scaled = logits / batch.temperatures[:, None, None]
        seen = self.fill(batch, sample_tokens(scaled, batch.uniforms))
        return {"masked": words, "second": self._second_term(model.discriminator, batch, seen)}

    @staticmethod
    def fill(batch: ReplacedBatch, samples: Tensor) -> Tensor:
        """The text with samples ``[batch, position]`` at its hidden positions."""
        masked = batch.masked
        return batch.originals.scatter(
            1, masked.positions, torch.where(masked.weights > 0, samples, masked.labels)
        )

    def _second_term(self, network: Electra, batch: ReplacedBatch, seen: Tensor) -> LossSum:
        masked = batch.masked
        hidden = network.encode(seen, batch.segments, batch.keep)
        if self.second is SecondLoss.MASKED:
            logits = network.score_words(at_positions(hidden, masked.positions))
            return token_loss(logits, masked.labels, masked.weights)
        score = network.judge_tokens(hidden)
        asked = self._asked(batch)
        if self.second is SecondLoss.ALL_TOKENS:
            words = network.score_words(hidden)
            return copy_loss(words, score, seen, batch.originals, asked)
        # A sample that happens to be the original counts as original.
        replaced = seen != batch.originals
        if self.second is SecondLoss.REPLACED_AT_MASKS:
            score = score.gather(1, masked.positions)
            replaced = replaced.gather(1, masked.positions)
        return binary_loss(score, replaced, asked)

    def _asked(self, batch: ReplacedBatch) -> Tensor:
        # What counts in the second loss: hidden positions, or all tokens but padding.
        if self.second in (SecondLoss.REPLACED_AT_MASKS, SecondLoss.MASKED):
            return batch.masked.weights
        return batch.real.float()
