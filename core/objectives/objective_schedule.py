"""A schedule of objectives: each step's batch comes from the next of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.errors import ConfigError
from core.objectives.text_to_text import TextToText, TextToTextBatch


class ObjectiveSchedule(TextToText):
    """Batches of several text-to-text objectives in a fixed order; all have one loss."""

    name = "schedule"

    def __init__(self, *objectives: TextToText) -> None:
        """Prepare.

        Args:
            objectives: of the first step, the second, and so on, then again from the first; one
                that stands there twice has two steps of each round.

        Raises:
            ConfigError: there is none, or they smooth their targets differently.
        """
        if len({one.smoothing for one in objectives}) != 1:
            raise ConfigError("a schedule needs objectives that smooth alike, and one at least")
        self.smoothing = objectives[0].smoothing
        self.objectives = objectives
        before: Counter[int] = Counter()
        self._earlier: list[int] = []  # steps of the same objective earlier in a round
        for one in objectives:
            self._earlier.append(before[id(one)])
            before[id(one)] += 1
        self._each: Sequence[int] = [before[id(one)] for one in objectives]

    def batch(self, step: int) -> TextToTextBatch:
        """The batch of the objective of a step, by the number of its own steps before."""
        rounds, index = divmod(step, len(self.objectives))
        return self.objectives[index].batch(rounds * self._each[index] + self._earlier[index])

    def shapes(self) -> list[TextToTextBatch]:
        """Those of all, without consequence for the batches of the steps."""
        return [batch for one in dict.fromkeys(self.objectives) for batch in one.shapes()]
