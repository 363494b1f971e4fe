"""The requests for one side of a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoints import Checkpoint
from core.tasks.forward import encode
from core.tasks.read_side import SideReading, read_side
from core.tokenisation import Encoding


@dataclass(frozen=True)
class ReadSideRequest:
    """See :func:`core.tasks.read_side.read_side`."""

    checkpoint: str
    text: str
    mask_words: tuple[int, ...] = ()
    off: tuple[tuple[int, int], ...] = ()
    language: str | None = None

    def run(self, checkpoint: Checkpoint) -> SideReading:
        """Compute the answer."""
        return read_side(
            checkpoint,
            self.text,
            mask_words=self.mask_words,
            off=self.off,
            language=self.language,
        )


@dataclass(frozen=True)
class EncodeRequest:
    """See :func:`core.tasks.forward.encode`: a text in pieces, without a pass of the model."""

    checkpoint: str
    text: str

    def run(self, checkpoint: Checkpoint) -> Encoding:
        """Compute the answer."""
        return encode(checkpoint, self.text)
