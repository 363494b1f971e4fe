"""Learning rates as functions of the progress of a run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from core.errors import ConfigError


class Shape(Enum):
    """How a rate moves once it is warm."""

    CONSTANT = "constant"
    LINEAR = "linear"  # straight down to 0
    INVERSE_ROOT = "inverse-root"  # with the root of the steps: Vaswani et al. 2017, section 5.3
    COSINE = "cosine"  # half waves down to 0: Loshchilov and Hutter 2017, "SGDR", section 3


@dataclass(frozen=True)
class Schedule:
    """Factor on the peak rate: up from 0 in a straight line, then by its shape.

    Progress is the share of the run that is over, so that a run limited by seconds has a schedule
    as well. In steps, at step ``s`` after ``w`` of warm-up, the inverse root is ``sqrt(w / s)``.

    Attributes:
        shape: of what follows the warm-up.
        warm_up: share of the run spent rising, in [0, 1).
        cycles: half waves of the cosine, each of which starts at the peak again.

    Raises:
        ConfigError: a number out of its range.
    """

    shape: Shape = Shape.LINEAR
    warm_up: float = 0.03
    cycles: int = 1

    def __post_init__(self) -> None:
        if not 0.0 <= self.warm_up < 1.0:
            raise ConfigError(f"the share of warm-up must be in [0, 1), not {self.warm_up}")
        if self.shape is Shape.INVERSE_ROOT and self.warm_up == 0.0:
            raise ConfigError("the inverse root needs a warm-up: without, it starts at infinity")
        if self.cycles < 1:
            raise ConfigError(f"a cosine has 1 half wave or more, not {self.cycles}")

    def factor(self, progress: float) -> float:
        """The factor at a progress in [0, 1]."""
        if progress < self.warm_up:
            return progress / self.warm_up
        if self.shape is Shape.CONSTANT:
            return 1.0
        if self.shape is Shape.INVERSE_ROOT:
            return math.sqrt(self.warm_up / progress)
        if progress >= 1.0:
            return 0.0
        if self.shape is Shape.LINEAR:
            return (1.0 - progress) / (1.0 - self.warm_up)
        waves = self.cycles * (progress - self.warm_up) / (1.0 - self.warm_up)
        return 0.5 * (1.0 + math.cos(math.pi * (waves % 1.0)))


def transformer_peak(width: int, warm_up_steps: int) -> float:
    """The highest rate of Vaswani et al. 2017, section 5.3, equation 3.

    Theirs is ``width^-0.5 * min(step^-0.5, step * warm_up^-1.5)``: both sides meet here.
    """
    return float((width * warm_up_steps) ** -0.5)


@dataclass
class Budget:
    """How long a run lasts: in steps (repeatable) or in seconds (whatever the machine does).

    Attributes:
        steps: number of steps, or ``None``.
        seconds: training time over all resumptions, without compilation, or ``None``.
        spent: seconds of earlier runs that this one resumes.
        clock: seconds since some moment.

    Raises:
        ConfigError: neither limit is given, or both, or one that is never reached.
    """

    steps: int | None = None
    seconds: float | None = None
    spent: float = 0.0
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        if (self.steps is None) == (self.seconds is None):
            raise ConfigError("a run is limited either by steps or by seconds")
        if self.steps is not None and self.steps < 1:
            raise ConfigError(f"a run takes at least 1 step, not {self.steps}")
        if self.seconds is not None and not 0.0 < self.seconds < math.inf:
            raise ConfigError(
                f"a run takes more than 0 seconds and ends some time, not {self.seconds}"
            )
        self._started = self.clock()

    def start(self) -> None:
        """Start the clock; what came before, compilation above all, does not count."""
        self._started = self.clock()

    @property
    def elapsed(self) -> float:
        """Seconds of training so far, those of earlier runs included."""
        return self.spent + self.clock() - self._started

    def progress(self, step: int) -> float:
        """Share of the run that is over before this step, in [0, 1]."""
        if self.seconds is not None:
            return min(1.0, self.elapsed / self.seconds)
        assert self.steps is not None
        return min(1.0, step / self.steps)
