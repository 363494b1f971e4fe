"""The request for one side of a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoints import Checkpoint
from core.tasks.read_side import SideReading, read_side


@dataclass(frozen=True)
class ReadSideRequest:
    """See :func:`core.tasks.read_side.read_side`."""

    checkpoint: str
    text: str
    mask_words: tuple[int, ...] = ()
    off: tuple[tuple[int, int], ...] = ()

    def run(self, checkpoint: Checkpoint) -> SideReading:
        """Compute the answer."""
        return read_side(checkpoint, self.text, mask_words=self.mask_words, off=self.off)
