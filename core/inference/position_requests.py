"""Requests about what a model knows of positions."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoints import Checkpoint
from core.tasks.position_codes import (
    PositionScores,
    PositionTable,
    constant_position_scores,
    distance_bias,
    position_scores,
    position_table,
)
from core.tasks.shuffle_words import ShuffledWords, shuffle_words


@dataclass(frozen=True)
class PositionTableRequest:
    """See :func:`core.tasks.position_codes.position_table`."""

    checkpoint: str
    positions: int
    start: int = 0

    def run(self, checkpoint: Checkpoint) -> PositionTable:
        """Compute the answer."""
        return position_table(checkpoint, self.positions, start=self.start)


@dataclass(frozen=True)
class DistanceBiasRequest:
    """See :func:`core.tasks.position_codes.distance_bias`."""

    checkpoint: str
    positions: int

    def run(self, checkpoint: Checkpoint) -> PositionScores:
        """Compute the answer."""
        return distance_bias(checkpoint, self.positions)


@dataclass(frozen=True)
class PositionScoresRequest:
    """See :func:`core.tasks.position_codes.position_scores`."""

    checkpoint: str
    text: str

    def run(self, checkpoint: Checkpoint) -> PositionScores:
        """Compute the answer."""
        return position_scores(checkpoint, self.text)


@dataclass(frozen=True)
class ConstantPositionScoresRequest:
    """See :func:`core.tasks.position_codes.constant_position_scores`."""

    checkpoint: str
    positions: int

    def run(self, checkpoint: Checkpoint) -> PositionScores:
        """Compute the answer."""
        return constant_position_scores(checkpoint, self.positions)


@dataclass(frozen=True)
class ShuffleWordsRequest:
    """See :func:`core.tasks.shuffle_words.shuffle_words`."""

    checkpoint: str
    text: str
    mask_words: tuple[int, ...] = ()
    seed: int = 0
    top: int = 3

    def run(self, checkpoint: Checkpoint) -> ShuffledWords:
        """Compute the answer."""
        return shuffle_words(
            checkpoint, self.text, mask_words=self.mask_words, seed=self.seed, top=self.top
        )
