"""Learning rates as functions of the progress of a run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.errors import ConfigError


def warm_up_then_linear(progress: float, warm_up: float) -> float:
    """Factor on the peak rate: up from 0, then straight down to 0.

    Args:
        progress: share of the run that is over, in [0, 1].
        warm_up: share of the run spent rising, in [0, 1).
    """
    if progress < warm_up:
        return progress / warm_up
    return max(0.0, (1.0 - progress) / (1.0 - warm_up))


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
