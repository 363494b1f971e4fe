"""The requests about BERT's family: each the plain arguments of a task, and a checkpoint's name."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoints import Checkpoint
from core.tasks.guess_hidden import HiddenReading, guess_hidden
from core.tasks.layer_steps import LayerSteps, layer_steps
from core.tasks.span_terms import SpanTerms, span_terms
from core.tasks.training_draws import TrainingDraws, training_draws


@dataclass(frozen=True)
class GuessHiddenRequest:
    """See :func:`core.tasks.guess_hidden.guess_hidden`."""

    checkpoint: str
    text: str
    words: tuple[int, ...] = ()
    top: int = 5

    def run(self, checkpoint: Checkpoint) -> HiddenReading:
        """Compute the answer."""
        return guess_hidden(checkpoint, self.text, words=self.words, top=self.top)


@dataclass(frozen=True)
class TrainingDrawsRequest:
    """See :func:`core.tasks.training_draws.training_draws`."""

    checkpoint: str
    text: str
    seed: int = 0
    readings: int = 12

    def run(self, checkpoint: Checkpoint) -> TrainingDraws:
        """Compute the answer."""
        return training_draws(checkpoint, self.text, seed=self.seed, readings=self.readings)


@dataclass(frozen=True)
class LayerStepsRequest:
    """See :func:`core.tasks.layer_steps.layer_steps`."""

    checkpoint: str
    text: str

    def run(self, checkpoint: Checkpoint) -> LayerSteps:
        """Compute the answer."""
        return layer_steps(checkpoint, self.text)


@dataclass(frozen=True)
class SpanTermsRequest:
    """See :func:`core.tasks.span_terms.span_terms`."""

    checkpoint: str
    text: str
    first: int = 0
    last: int = 0
    word: int = 0
    top: int = 5

    def run(self, checkpoint: Checkpoint) -> SpanTerms:
        """Compute the answer."""
        return span_terms(
            checkpoint, self.text, first=self.first, last=self.last, word=self.word, top=self.top
        )
