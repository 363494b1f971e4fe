"""Requests about replaced tokens. Generator and discriminator are two: each has a request."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoints import Checkpoint
from core.tasks.detect_replaced import THRESHOLD, DetectionResult, detect_replaced
from core.tasks.replace_by_generator import (
    JudgedReplacements,
    Replacements,
    judge_replacements,
    sample_replacements,
)


@dataclass(frozen=True)
class DetectReplacedRequest:
    """See :func:`core.tasks.detect_replaced`."""

    checkpoint: str
    text: str
    original: str | None = None
    threshold: float = THRESHOLD
    cut: bool = False

    def run(self, checkpoint: Checkpoint) -> DetectionResult:
        """Compute the answer."""
        return detect_replaced(
            checkpoint,
            self.text,
            original=self.original,
            threshold=self.threshold,
            cut=self.cut,
        )


@dataclass(frozen=True)
class SampleReplacementsRequest:
    """See :func:`core.tasks.sample_replacements`; the checkpoint is a generator."""

    checkpoint: str
    text: str
    share: float = 0.15
    seed: int = 0
    temperature: float = 1.0
    top: int = 5
    cut: bool = False

    def run(self, checkpoint: Checkpoint) -> Replacements:
        """Compute the answer."""
        return sample_replacements(
            checkpoint,
            self.text,
            share=self.share,
            seed=self.seed,
            temperature=self.temperature,
            top=self.top,
            cut=self.cut,
        )


@dataclass(frozen=True)
class JudgeReplacementsRequest:
    """See :func:`core.tasks.judge_replacements`; the checkpoint is a discriminator."""

    checkpoint: str
    replacements: Replacements

    def run(self, checkpoint: Checkpoint) -> JudgedReplacements:
        """Compute the answer."""
        return judge_replacements(checkpoint, self.replacements)
