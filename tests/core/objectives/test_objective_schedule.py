"""A schedule of objectives: whose batch each step has, and what is refused."""

import pytest
import torch

from core.errors import ConfigError
from core.objectives.objective_schedule import ObjectiveSchedule
from core.objectives.text_to_text import TextToText, TextToTextBatch


class Numbered(TextToText):
    """Its batches say who made them, and at which of its own steps."""

    def __init__(self, number: int, smoothing: float = 0.0) -> None:
        self.number, self.smoothing = number, smoothing

    def batch(self, step: int) -> TextToTextBatch:
        said = torch.tensor([[self.number, step]])
        return TextToTextBatch(said, None, said, said)

    def shapes(self) -> list[TextToTextBatch]:
        return [self.batch(-1)]


def test_everybody_has_its_turns_and_its_own_steps() -> None:
    one, two = Numbered(1), Numbered(2)
    task = ObjectiveSchedule(one, two, one)
    said = [tuple(task.batch(step).source[0].tolist()) for step in range(7)]
    assert said == [(1, 0), (2, 0), (1, 1), (1, 2), (2, 1), (1, 3), (1, 4)]


def test_shapes_are_those_of_all_once() -> None:
    one, two = Numbered(1), Numbered(2)
    said = [tuple(batch.source[0].tolist()) for batch in ObjectiveSchedule(one, two, one).shapes()]
    assert said == [(1, -1), (2, -1)]


def test_nobody_and_unlike_ones_are_refused() -> None:
    for objectives in ((), (Numbered(1), Numbered(2, smoothing=0.1))):
        with pytest.raises(ConfigError, match="smooth alike"):
            ObjectiveSchedule(*objectives)


def test_all_smooth_as_the_first_does() -> None:
    assert ObjectiveSchedule(Numbered(1, smoothing=0.1)).smoothing == 0.1
