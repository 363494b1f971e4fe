"""What every head of every layer looks at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.checkpoints import Checkpoint
from core.tasks.forward import POSITIONS, encode, forward, read_only
from core.tokenisation import Encoding


@dataclass(frozen=True)
class AttendResult:
    """Attention of one forward pass. The arrays are read-only.

    Attributes:
        encoding: exactly the tokens that ran.
        patterns: attention weights ``[layer, head, query, key]``; rows sum to 1.
        positions: rows of the position table that were added to the tokens, ``[token, width]``.
        seconds: wall time of the pass.
        device: where it ran.
    """

    encoding: Encoding
    patterns: NDArray[np.float32]
    positions: NDArray[np.float32]
    seconds: float
    device: str


def attend(
    checkpoint: Checkpoint, text: str, pair: str | None = None, *, cut: bool = False
) -> AttendResult:
    """Read one text, or two, and record every attention pattern.

    Args:
        checkpoint: a loaded model.
        text: what a person typed.
        pair: a second text, or ``None``.
        cut: leave out the end of the longer text until both fit, instead of refusing.

    Raises:
        EmptyTextError: nothing to read in one of the texts.
        TextTooLongError: too many characters.
        SequenceTooLongError: too many tokens, and ``cut`` is off.
    """
    encoding = encode(checkpoint, text, pair, cut=cut)
    ran = forward(checkpoint, encoding, sites=(POSITIONS,), patterns=True, predict=False)
    assert ran.patterns is not None
    return AttendResult(
        encoding=encoding,
        patterns=ran.patterns,
        positions=read_only(ran.trace[POSITIONS][0]),
        seconds=ran.seconds,
        device=ran.device,
    )
