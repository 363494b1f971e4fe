"""What the lab is to train, as one setting of the page holds it: what is compared, and the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final

from core.config import NormPlacement
from core.errors import ConfigError
from core.lab.settings import BOUNDS, METHODS, LabSettings

LOOKS: Final = 60  # of a whole run
RATE_UNIT: Final = 1e-5  # of the peak rate, where it is written
SEPARATOR: Final = "."


class Compare(Enum):
    """In what the runs of a plan differ."""

    WARM_UP = "warm-up"
    NORMS = "norms"  # both norms, each with and without warm-up
    METHOD = "optimiser"
    RATE = "rate"
    BATCH = "batch"
    WIDTH = "width"
    DEPTH = "depth"
    SEED = "seed"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Plan:
    """Up to four runs.

    Attributes:
        compare: in what they differ.
        base: what they have in common; its own value of what is compared decides the values there.
    """

    compare: Compare = Compare.WARM_UP
    base: LabSettings = field(default_factory=LabSettings)

    def runs(self) -> list[LabSettings]:
        """The runs, in the order of the legend.

        Raises:
            ConfigError: the warm-up does not fit.
        """
        looks = max(1, round(self.base.steps / LOOKS))
        base = replace(self.base, look_every=looks)
        return [replace(base, **one) for one in _VARIED[self.compare](base)]


def read_plan(written: str) -> Plan:
    """The plan that a setting describes; what cannot be read, or makes no run, is the default.

    >>> plan = read_plan("compare-seed.task-sort.steps-90.warm_up-30.colour-red")
    >>> plan.compare.value, plan.base.task.value, plan.base.steps, plan.base.batch
    ('seed', 'sort', 90, 32)
    """
    compare, values = Compare.WARM_UP, LabSettings().as_json()
    for part in written.split(SEPARATOR):
        name, _, value = part.partition("-")
        try:
            if name == "compare":
                compare = Compare(value)
            elif name in values and name != "look_every":
                LabSettings.from_json({name: _read(name, value), **_room(name)})
                values[name] = _read(name, value)
        except (ConfigError, ValueError):
            continue
    try:
        return Plan(compare, LabSettings.from_json(values))
    except ConfigError:
        return Plan(compare)


def write_plan(plan: Plan) -> str:
    """The inverse of :func:`read_plan`: only what differs from the default is written."""
    usual = LabSettings().as_json()
    parts = {} if plan.compare is Compare.WARM_UP else {"compare": plan.compare.value}
    for name, value in plan.base.as_json().items():
        if value != usual[name] and name != "look_every":
            parts[name] = str(round(value / RATE_UNIT)) if name == "peak_rate" else str(value)
    return SEPARATOR.join(f"{name}-{value}" for name, value in parts.items())


def differences(runs: list[LabSettings]) -> list[dict[str, Any]]:
    """For every run the values in which not all runs agree, by name."""
    written = [vars(run) for run in runs]
    differing = [
        name
        for name in vars(LabSettings())
        if name != "look_every" and len({one[name] for one in written}) > 1
    ]
    return [{name: one[name] for name in differing} for one in written]


def _read(name: str, value: str) -> Any:
    if name not in BOUNDS:
        return value
    return int(value) * RATE_UNIT if name == "peak_rate" else int(value)


def _room(name: str) -> dict[str, Any]:
    # A warm-up is looked at in the longest run, a length without a warm-up.
    room: dict[str, dict[str, Any]] = {
        "warm_up": {"steps": BOUNDS["steps"][1]},
        "steps": {"warm_up": 0},
    }
    return room.get(name, {})


def _scaled(name: str, *factors: float) -> Callable[[LabSettings], list[dict[str, Any]]]:
    def values(base: LabSettings) -> list[dict[str, Any]]:
        least, most = BOUNDS[name]
        value = getattr(base, name)
        kind = type(value)
        scaled = {kind(min(max(value * factor, least), most)) for factor in factors}
        return [{name: one} for one in sorted(scaled)]

    return values


def _with_and_without(base: LabSettings) -> list[dict[str, Any]]:
    return [{"warm_up": 0}, {"warm_up": base.warm_up}] if base.warm_up else [{}]


_VARIED: Mapping[Compare, Callable[[LabSettings], list[dict[str, Any]]]] = {
    Compare.WARM_UP: _with_and_without,
    Compare.NORMS: lambda base: [
        {"norm": norm, **one}
        for norm in (NormPlacement.POST, NormPlacement.PRE)
        for one in _with_and_without(base)
    ],
    Compare.METHOD: lambda _: [{"method": method} for method in METHODS],
    Compare.RATE: _scaled("peak_rate", 0.25, 1, 4),
    Compare.BATCH: _scaled("batch", 0.25, 1, 4),
    Compare.WIDTH: _scaled("width", 0.5, 1, 2),
    Compare.DEPTH: _scaled("depth", 1 / 3, 2 / 3, 1),
    Compare.SEED: lambda base: [
        {"seed": (base.seed + more) % (int(BOUNDS["seed"][1]) + 1)} for more in range(3)
    ],
    Compare.NOTHING: lambda _: [{}],
}
