"""Requests about texts with blanks, how they were filled, and what T5's paper trains on."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoints import Checkpoint
from core.decoding import Sampling
from core.inference.progress import tell_progress
from core.tasks import AttendResult
from core.tasks.denoise_text import DenoisedText, denoise_text
from core.tasks.step_spans import SteppedFilling, attend_written, step_spans


@dataclass(frozen=True)
class StepSpansRequest:
    """See :func:`core.tasks.step_spans.step_spans`."""

    checkpoint: str
    text: str
    samples: int = 1
    temperature: float = 0.0
    seed: int = 0

    def run(self, checkpoint: Checkpoint) -> SteppedFilling:
        """Compute the answer."""
        return step_spans(
            checkpoint,
            self.text,
            samples=self.samples,
            sampling=Sampling(self.temperature),
            seed=self.seed,
            tell=tell_progress,
        )


@dataclass(frozen=True)
class AttendWrittenRequest:
    """See :func:`core.tasks.step_spans.attend_written`."""

    checkpoint: str
    text: str
    written: tuple[int, ...]

    def run(self, checkpoint: Checkpoint) -> AttendResult:
        """Compute the answer."""
        return attend_written(checkpoint, self.text, self.written)


@dataclass(frozen=True)
class DenoiseTextRequest:
    """See :func:`core.tasks.denoise_text.denoise_text`."""

    checkpoint: str
    text: str
    seed: int = 0

    def run(self, checkpoint: Checkpoint) -> DenoisedText:
        """Compute the answer."""
        return denoise_text(checkpoint, self.text, seed=self.seed)
