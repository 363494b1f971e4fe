"""What a labelled task needs on top of an encoder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from core.checks import require_positive, require_probability
from core.errors import ConfigError


class TaskKind(Enum):
    """What is predicted for a labelled task: see ``core.models.task_heads``."""

    CLASSES = "classes"  # of one text or of a pair
    SIMILARITY = "similarity"  # of a pair, one number
    RANKING = "ranking"  # of candidates, one number each
    ANSWER_NETWORK = "answer_network"  # classes of a pair, in several steps
    SPAN = "span"  # start and end of an answer
    TAGS = "tags"  # a class for every token


WITH_CLASSES = frozenset({TaskKind.CLASSES, TaskKind.ANSWER_NETWORK, TaskKind.TAGS})
_LONGEST = 60  # characters of a label


@dataclass(frozen=True)
class TaskConfig:
    """One labelled task.

    Attributes:
        name: lower-case letters, digits and underscores: it is part of its tensors' names.
        kind: what is predicted.
        classes: how many, where classes are predicted.
        steps: of the answer network.
        dropout: probability on what the head reads.
        step_dropout: probability that training leaves out a step of the answer network.
        labels: names of the classes for a person, by number; or none.
    """

    name: str
    kind: TaskKind
    classes: int = 2
    steps: int = 5
    dropout: float = 0.1
    step_dropout: float = 0.1
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_positive(self, "classes", "steps")
        require_probability(self, "dropout", "step_dropout")
        if not re.fullmatch("[a-z][a-z0-9_]{0,99}", self.name):
            raise ConfigError(
                f"a task is named with lower-case letters, digits and underscores: {self.name!r}"
            )
        if self.labels:
            self._check_labels()

    def _check_labels(self) -> None:
        if self.kind not in WITH_CLASSES:
            raise ConfigError(f"a task of the kind {self.kind.value} has no classes to be named")
        if len(self.labels) != self.classes or len(set(self.labels)) != self.classes:
            raise ConfigError(
                f"{self.classes} classes have as many different names, not {list(self.labels)}"
            )
        for label in self.labels:
            if not (label == label.strip() and 0 < len(label) <= _LONGEST and label.isprintable()):
                raise ConfigError(f"a class is named with 1 to {_LONGEST} characters: {label!r}")
