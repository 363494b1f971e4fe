"""Several ways of asking one model for text take turns, a batch each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.errors import ConfigError
from core.objectives.two_sides import TextToText, TextToTextBatch


class TakingTurns(TextToText):
    """Batches of several objectives of text to text in a fixed order; all have one loss."""

    name = "turns"

    def __init__(self, *turns: TextToText) -> None:
        """Prepare.

        Args:
            turns: who has the first step, the second, and so on, then again from the first; one
                that stands there twice has two turns.

        Raises:
            ConfigError: there is none, or they smooth their targets differently.
        """
        if len({one.smoothing for one in turns}) != 1:
            raise ConfigError("turns are taken by objectives that smooth alike, by one at least")
        self.smoothing = turns[0].smoothing
        self.turns = turns
        before: Counter[int] = Counter()
        self._earlier: list[int] = []  # turns that the same objective had in this round
        for one in turns:
            self._earlier.append(before[id(one)])
            before[id(one)] += 1
        self._each: Sequence[int] = [before[id(one)] for one in turns]

    def batch(self, step: int) -> TextToTextBatch:
        """The batch of the one whose turn it is, by the number of its own turns so far."""
        rounds, turn = divmod(step, len(self.turns))
        return self.turns[turn].batch(rounds * self._each[turn] + self._earlier[turn])

    def shapes(self) -> list[TextToTextBatch]:
        """Those of all, without consequence for the batches of the steps."""
        return [batch for one in dict.fromkeys(self.turns) for batch in one.shapes()]
