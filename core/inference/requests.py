"""The requests there are: each the plain arguments of a task, plus the name of a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoints import Checkpoint
from core.tasks import AttendResult, FillMaskResult, attend, fill_mask


@dataclass(frozen=True)
class AttendRequest:
    """See :func:`core.tasks.attend`."""

    checkpoint: str
    text: str
    pair: str | None = None
    cut: bool = False

    def run(self, checkpoint: Checkpoint) -> AttendResult:
        """Compute the answer."""
        return attend(checkpoint, self.text, self.pair, cut=self.cut)


@dataclass(frozen=True)
class FillMaskRequest:
    """See :func:`core.tasks.fill_mask`."""

    checkpoint: str
    text: str
    pair: str | None = None
    mask_words: tuple[int, ...] = ()
    top: int = 5
    off: tuple[tuple[int, int], ...] = ()
    cut: bool = False
    patterns: bool = False

    def run(self, checkpoint: Checkpoint) -> FillMaskResult:
        """Compute the answer."""
        return fill_mask(
            checkpoint,
            self.text,
            self.pair,
            mask_words=self.mask_words,
            top=self.top,
            off=self.off,
            cut=self.cut,
            patterns=self.patterns,
        )
