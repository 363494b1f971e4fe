"""Learning rates as functions of the progress of a run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from core.bounds import require
from core.errors import ConfigError

ROUNDING = 1e-9  # in periods; a step of the longest runs is a thousand times as long


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

    The cosine is that of Loshchilov and Hutter 2017, equation 5, with a lowest rate of 0:
    ``(1 + cos(pi * T_cur / T_i)) / 2``, where ``T_cur`` has passed since the last restart and the
    period ``T_i`` is ``growth`` times the one before.

    Attributes:
        shape: of what follows the warm-up.
        warm_up: share of the run spent rising, in [0, 1).
        cycles: half waves of the cosine that fill the run, each from the peak again.
        period: instead of ``cycles``, the share of the run that the first half wave takes.
        growth: a half wave is so many times as long as the one before.

    Raises:
        ConfigError: a number out of its range.
    """

    shape: Shape = Shape.LINEAR
    warm_up: float = 0.03
    cycles: int = 1
    period: float | None = None
    growth: int = 1

    def __post_init__(self) -> None:
        require(warm_up=self.warm_up, cycles=self.cycles, growth=self.growth)
        if self.shape is Shape.INVERSE_ROOT and self.warm_up == 0.0:
            raise ConfigError("the inverse root needs a warm-up: without, it starts at infinity")
        if self.period is not None and not 0.0 < self.period <= 1.0:
            raise ConfigError(f"the share of a half wave must be in (0, 1], not {self.period}")
        if self.period is not None and self.cycles != 1:
            raise ConfigError("half waves have either a number or a length")

    def factor(self, progress: float) -> float:
        """The factor at a progress in [0, 1]."""
        if progress < self.warm_up:
            return progress / self.warm_up
        if self.shape is Shape.CONSTANT:
            return 1.0
        if self.shape is Shape.INVERSE_ROOT:
            return math.sqrt(self.warm_up / progress)
        if self.shape is Shape.LINEAR:
            return max(0.0, (1.0 - progress) / (1.0 - self.warm_up))
        return 0.5 * (1.0 + math.cos(math.pi * self._phase(progress)))

    def restarts(self) -> tuple[float, ...]:
        """Where in the run, in (0, 1), the cosine is at its peak again after the warm-up."""
        found = []
        length = self._first_period()
        at = self.warm_up + length
        while at < 1.0 - ROUNDING * length:
            found.append(at)
            length *= self.growth
            at += length
        return tuple(found)

    def _first_period(self) -> float:
        if self.period is not None:
            return self.period
        return (1.0 - self.warm_up) / sum(self.growth**wave for wave in range(self.cycles))

    def _phase(self, progress: float) -> float:
        """Share of the present half wave that is over; a wave that ends with the run is at 1."""
        passed = (progress - self.warm_up) / self._first_period()
        # Shares of a run are rounded: without a margin a restart would come a step late.
        if self.growth == 1:
            start, length = float(math.floor(passed + ROUNDING)), 1.0
        else:
            whole = math.log(1.0 + passed * (self.growth - 1)) / math.log(self.growth)
            length = float(self.growth ** math.floor(whole + ROUNDING))
            start = (length - 1.0) / (self.growth - 1)
        phase = max(0.0, (passed - start) / length)
        return 1.0 if progress >= 1.0 and phase < ROUNDING else phase


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
        require(steps=self.steps, seconds=self.seconds)
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
