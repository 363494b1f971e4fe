"""Requests about the order of words and texts, and about what stands before the first layer."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoints import Checkpoint
from core.tasks.input_terms import InputTerms, input_terms
from core.tasks.judge_pair import PairJudgement, judge_pair
from core.tasks.restore_order import RestoredOrder, restore_order


@dataclass(frozen=True)
class JudgePairRequest:
    """See :func:`core.tasks.judge_pair`."""

    checkpoint: str
    text: str
    pair: str | None = None
    off: tuple[tuple[int, int], ...] = ()
    cut: bool = False
    patterns: bool = False

    def run(self, checkpoint: Checkpoint) -> PairJudgement:
        """Compute the answer."""
        return judge_pair(
            checkpoint, self.text, self.pair, off=self.off, cut=self.cut, patterns=self.patterns
        )


@dataclass(frozen=True)
class InputTermsRequest:
    """See :func:`core.tasks.input_terms`."""

    checkpoint: str
    text: str
    pair: str | None = None
    cut: bool = False

    def run(self, checkpoint: Checkpoint) -> InputTerms:
        """Compute the answer."""
        return input_terms(checkpoint, self.text, self.pair, cut=self.cut)


@dataclass(frozen=True)
class RestoreOrderRequest:
    """See :func:`core.tasks.restore_order`."""

    checkpoint: str
    text: str
    top: int = 5

    def run(self, checkpoint: Checkpoint) -> RestoredOrder:
        """Compute the answer."""
        return restore_order(checkpoint, self.text, top=self.top)
