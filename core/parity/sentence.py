"""One sentence, or a pair, through both sides, to tell a reader whether the picture is right."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from core.checkpoints import Checkpoint
from core.parity.compare import Batch, differences
from core.parity.errors import NoReferenceError
from core.parity.reference import open_reference
from core.parity.systems import comparison_for_texts
from core.tasks.forward import encode, inputs_of


@dataclass(frozen=True)
class SentenceDifference:
    """Largest absolute differences between our forward pass and Hugging Face's.

    Attributes:
        patterns: over every attention weight of every head.
        logits: over the models' results.
        tokens: that both have read.
        reference: name of the class in ``transformers``.
    """

    patterns: float
    logits: float
    tokens: int
    reference: str


def compare_sentence(
    checkpoint: Checkpoint, text: str, pair: str | None = None, *, target: str | None = None
) -> SentenceDifference:
    """Open the checkpoint with Hugging Face's class too and compare both on one text or two.

    Args:
        checkpoint: ours.
        text: what both read.
        pair: a second text, or ``None``.
        target: what the decoder of an encoder-decoder reads; ``None`` for the text itself.

    Raises:
        NoReferenceError: there is no such class.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`core.tasks.attend`.
    """
    config = checkpoint.config
    comparison = comparison_for_texts(config)
    if comparison is None:
        raise NoReferenceError(config.system)
    encoding = encode(checkpoint, text, pair)
    device = next(checkpoint.model.parameters()).device
    reference = _reference(comparison.reference, checkpoint.folder, checkpoint.revision).to(device)
    read = None
    if comparison.source_ahead is not None:
        start = () if config.start_id is None else (config.start_id,)
        following = encode(checkpoint, text if target is None else target).ids
        limit = config.embedding.max_positions
        read = Batch(ids=torch.tensor([(*start, *following)[:limit]], device=device))
    inputs = inputs_of(checkpoint, encoding.ids, encoding.segments)
    batch = Batch(ids=inputs.ids, segments=inputs.segments, target=read)
    measured = differences(comparison, checkpoint.model, reference, batch)
    return SentenceDifference(
        patterns=max(far for part, far in measured.items() if part.is_pattern),
        logits=max(far for part, far in measured.items() if part.is_result),
        tokens=len(encoding),
        reference=comparison.reference,
    )


@lru_cache(maxsize=1)  # opening takes seconds
def _reference(class_name: str, folder: Path, revision: str) -> Any:  # noqa: ARG001
    return open_reference(class_name, folder)
