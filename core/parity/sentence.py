"""One sentence, or a pair, through both sides, to tell a reader whether the picture is right."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from core.checkpoints import Checkpoint
from core.parity.compare import Batch, differences
from core.parity.reference import open_reference
from core.parity.systems import comparison_of
from core.tasks.forward import encode

_RESULTS = (".logits", "pooler.output")  # MT-DNN's reference has no head, only the summary


@dataclass(frozen=True)
class SentenceDifference:
    """Largest absolute differences between our forward pass and Hugging Face's.

    Attributes:
        patterns: over every attention weight of every head.
        logits: over the models' results.
        tokens: that both have read.
    """

    patterns: float
    logits: float
    tokens: int


@dataclass(frozen=True)
class ReferenceRequest:
    """For an engine: compare both sides on a text."""

    checkpoint: str
    text: str
    pair: str | None = None

    def run(self, checkpoint: Checkpoint) -> SentenceDifference:
        """Compute the answer."""
        return compare_sentence(checkpoint, self.text, self.pair)


def compare_sentence(
    checkpoint: Checkpoint, text: str, pair: str | None = None
) -> SentenceDifference:
    """Open the checkpoint with Hugging Face's class too and compare both on one text or two.

    Raises:
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`core.tasks.attend`.
    """
    encoding = encode(checkpoint, text, pair)
    comparison = comparison_of(checkpoint.config.system)
    device = next(checkpoint.model.parameters()).device
    reference = _reference(comparison.reference, checkpoint.folder, checkpoint.revision).to(device)
    batch = Batch(
        ids=torch.tensor([encoding.ids], device=device),
        segments=torch.tensor([encoding.segments], device=device),
    )
    measured = differences(comparison, checkpoint.model, reference, batch)
    return SentenceDifference(
        patterns=max(far for part, far in measured.items() if part.ours.endswith(".pattern")),
        logits=max(far for part, far in measured.items() if part.ours.endswith(_RESULTS)),
        tokens=len(encoding),
    )


@lru_cache(maxsize=1)  # opening takes seconds
def _reference(class_name: str, folder: Path, revision: str) -> Any:  # noqa: ARG001
    return open_reference(class_name, folder)
