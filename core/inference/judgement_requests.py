"""Requests about labelled tasks."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoints import Checkpoint
from core.tasks.judge_text import JudgementResult, judge_text


@dataclass(frozen=True)
class JudgeTextRequest:
    """See :func:`core.tasks.judge_text`."""

    checkpoint: str
    text: str
    pair: str | None = None
    answers: tuple[str, ...] = ()
    word: int | None = None
    cut: bool = False

    def run(self, checkpoint: Checkpoint) -> JudgementResult:
        """Compute the answer."""
        return judge_text(
            checkpoint,
            self.text,
            self.pair,
            answers=self.answers,
            word=self.word,
            cut=self.cut,
        )
