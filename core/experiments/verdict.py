"""What the numbers of recorded runs say of a claim: a rule, not an opinion.

A claim is a list of comparisons between settings, each trained with several seeds. A comparison is
decided by the seeds that speak against it most, so that no mean hides a run that failed. With three
seeds a side, runs without any difference would be told apart by chance in 1 of 20 cases, in the one
direction or in the other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from core.errors import HeadlightError

FEWEST_SEEDS: Final = 3


class TooFewSeedsError(HeadlightError):
    """A setting has not been trained often enough to say anything of it."""

    def __init__(self, name: str, seeds: int) -> None:
        super().__init__(
            f"{name} was trained with {seeds} seeds; a verdict needs at least {FEWEST_SEEDS}"
        )
        self.name = name
        self.seeds = seeds
        self.needed = FEWEST_SEEDS


class Outcome(Enum):
    """What became of a claim."""

    REPRODUCED = "reproduced"
    NOT_HERE = "not at this scale"
    CONTRARY = "contrary"


class Relation(Enum):
    """How the first side of a comparison is said to stand to the second."""

    BETTER = "better"
    AS_GOOD = "as good"


@dataclass(frozen=True)
class SettingMeasure:
    """A setting of an experiment, and which of its measures counts."""

    setting: str
    measure: str = "loss"


@dataclass(frozen=True)
class Comparison:
    """One part of a claim, about losses or other measures of which less is claimed to be better.

    Attributes:
        first, second: what is compared.
        relation: ``BETTER``: every run of the first is below every run of the second, by the
            margin; two measures of the same runs are compared run by run. ``AS_GOOD``: no run of
            the first is above the worst of the second by more than the margin.
        margin: in the unit of the measure, 0 or more: what is less is no difference.
    """

    first: SettingMeasure
    relation: Relation
    second: SettingMeasure
    margin: float = 0.0


@dataclass(frozen=True)
class Compared:
    """A comparison with its numbers.

    Attributes:
        comparison: what was compared.
        first, second: losses by seed; infinite where a run diverged.
        holds: whether the runs show what is said.
        reversed: whether they show the opposite. Where neither, they show nothing.
    """

    comparison: Comparison
    first: tuple[float, ...]
    second: tuple[float, ...]
    holds: bool
    reversed: bool


@dataclass(frozen=True)
class Verdict:
    """The outcome for a claim, and what it follows from."""

    outcome: Outcome
    compared: tuple[Compared, ...]


def judge(
    comparisons: Sequence[Comparison], losses: Mapping[SettingMeasure, Sequence[float]]
) -> Verdict:
    """Decide on a claim.

    ``REPRODUCED`` when all comparisons hold, ``CONTRARY`` when any is reversed, else ``NOT_HERE``.

    Args:
        comparisons: one or more.
        losses: of every side, one a seed; infinite for a run that diverged.

    Raises:
        TooFewSeedsError: a side has fewer than ``FEWEST_SEEDS`` losses.
        ValueError: nothing is compared, or a loss is not a number.
    """
    if not comparisons:
        raise ValueError("A claim without comparisons claims nothing.")
    compared = tuple(_compare(one, losses) for one in comparisons)
    if any(one.reversed for one in compared):
        outcome = Outcome.CONTRARY
    elif all(one.holds for one in compared):
        outcome = Outcome.REPRODUCED
    else:
        outcome = Outcome.NOT_HERE
    return Verdict(outcome, compared)


def _compare(comparison: Comparison, losses: Mapping[SettingMeasure, Sequence[float]]) -> Compared:
    first, second = (_seeds_of(side, losses) for side in (comparison.first, comparison.second))
    margin = comparison.margin
    if comparison.relation is Relation.BETTER:
        same_runs = comparison.first.setting == comparison.second.setting
        below = _each_below if same_runs else _all_below
        holds, reverse = below(first, second, margin), below(second, first, margin)
    else:
        # A diverged run is as good as nothing, not even as another one.
        holds = max(first) < math.inf and max(first) <= max(second) + margin
        reverse = min(first) > max(second) + margin
    return Compared(comparison, first, second, holds, reverse)


def _all_below(low: Sequence[float], high: Sequence[float], margin: float) -> bool:
    # Equal losses without a margin are no difference either.
    return max(low) < min(high) and max(low) + margin <= min(high)


def _each_below(low: Sequence[float], high: Sequence[float], margin: float) -> bool:
    return all(_all_below([one], [other], margin) for one, other in zip(low, high, strict=True))


def _seeds_of(
    side: SettingMeasure, losses: Mapping[SettingMeasure, Sequence[float]]
) -> tuple[float, ...]:
    found = tuple(losses.get(side, ()))
    if len(found) < FEWEST_SEEDS:
        raise TooFewSeedsError(f"{side.setting} ({side.measure})", len(found))
    if any(math.isnan(loss) for loss in found):
        raise ValueError(f"A loss of {side.setting} is not a number.")
    return found
