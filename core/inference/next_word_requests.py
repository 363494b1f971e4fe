"""Requests about what comes next in a text."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoints import Checkpoint
from core.tasks.next_word import NextWord, SpeltVocabulary, next_word, spell_vocabulary


@dataclass(frozen=True)
class NextWordRequest:
    """See :func:`core.tasks.next_word`."""

    checkpoint: str
    text: str
    place: int | None = None

    def run(self, checkpoint: Checkpoint) -> NextWord:
        """Compute the answer."""
        return next_word(checkpoint, self.text, self.place)


@dataclass(frozen=True)
class SpellVocabularyRequest:
    """See :func:`core.tasks.spell_vocabulary`."""

    checkpoint: str

    def run(self, checkpoint: Checkpoint) -> SpeltVocabulary:
        """Compute the answer."""
        return spell_vocabulary(checkpoint)
