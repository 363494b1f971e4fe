"""The experiments: what is trained, with what differences, and what is claimed of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

from core.errors import ConfigError
from core.experiments.record import RecordedRun, losses_of
from core.experiments.verdict import Comparison, Relation, Side, Verdict, judge


@dataclass(frozen=True)
class Setting:
    """One of the things that are compared.

    Attributes:
        name: in words that need no translation.
        lab: what differs from the experiment's own settings of the lab.
        accumulate: batches a step: what so many machines read in data-parallel training.
        longest: pairs with a longer side, its end included, are left out of the training;
            ``None``: all are learnt from.
        averaged: the mean of the weights at so many looks, the last ones, is measured as well.
    """

    name: str
    lab: Mapping[str, Any] = field(default_factory=dict)
    accumulate: int = 1
    longest: int | None = None
    averaged: int = 1


@dataclass(frozen=True)
class Experiment:
    """Settings that are trained alike but for one thing, and the claim that is tested.

    Attributes:
        name: in the shell, and of the file of its runs.
        source: the paper, and where in it.
        lab: settings of the lab that all have in common.
        settings: what is compared.
        claim: comparisons that all hold if the paper's finding shows here too.
    """

    name: str
    source: str
    lab: Mapping[str, Any]
    settings: tuple[Setting, ...]
    claim: tuple[Comparison, ...]

    def verdict(self, runs: Sequence[RecordedRun]) -> Verdict:
        """What the runs of this experiment say of its claim.

        Raises:
            TooFewSeedsError: a setting that the claim speaks of has too few runs.
        """
        sides = {side for one in self.claim for side in (one.first, one.second)}
        own = [run for run in runs if run.experiment == self.name]
        return judge(
            self.claim, {side: losses_of(own, side.setting, side.measure) for side in sides}
        )


def _better(first: str, second: str, margin: float) -> Comparison:
    return Comparison(Side(first), Relation.BETTER, Side(second), margin)


def _as_good(first: str, second: str, margin: float) -> Comparison:
    return Comparison(Side(first), Relation.AS_GOOD, Side(second), margin)


# English number words to German ones, with six layers a side: deep enough for norms to matter.
_NUMBERS: Final = {"task": "numbers", "depth": 6, "width": 64, "steps": 2_000, "look_every": 20}
_MARGIN: Final = 0.05  # nats a token
_FINE_MARGIN: Final = 0.005
_TIPS: Final = "Popel and Bojar 2018, “Training Tips for the Transformer Model” (1804.00247)"
# The rate of the tips falls with the root of the steps and never to 0.
_WITHOUT_END: Final = {**_NUMBERS, "shape": "inverse-root", "warm_up": 200, "peak_rate": 2e-3}


def _warm_up() -> Experiment:
    def name(norm: str, method: str, warm_up: int) -> str:
        return f"{norm}-norm, {method}, {'warm-up' if warm_up else 'no warm-up'}"

    settings = tuple(
        Setting(name(*one), {"norm": one[0], "method": one[1], "warm_up": one[2]})
        for one in product(("post", "pre"), ("adam", "radam"), (0, 200))
    )
    plain = name("post", "adam", 0)
    return Experiment(
        "warm-up",
        "Liu et al. 2020 (1908.03265), figure 1; Xiong et al. 2020 (2002.04745), section 3",
        {**_NUMBERS, "shape": "linear", "peak_rate": 2e-3},
        settings,
        (
            _better(name("post", "adam", 200), plain, _MARGIN),
            _as_good(name("pre", "adam", 0), name("pre", "adam", 200), _MARGIN),
            _better(name("post", "radam", 0), plain, _MARGIN),
            _as_good(name("post", "radam", 0), name("post", "adam", 200), _MARGIN),
        ),
    )


def _learning_rate() -> Experiment:
    rates = {"1e-4": 1e-4, "5e-4": 5e-4, "2e-3": 2e-3, "2e-2": 2e-2}
    return Experiment(
        "learning-rate",
        f"{_TIPS}, figure 7",
        _WITHOUT_END,
        tuple(Setting(name, {"peak_rate": rate}) for name, rate in rates.items()),
        (_better("2e-3", "1e-4", _MARGIN), _better("2e-3", "2e-2", _MARGIN)),
    )


def _batch_size() -> Experiment:
    sizes = (8, 16, 32, 64, 128)
    return Experiment(
        "batch-size",
        f"{_TIPS}, figure 6",
        _WITHOUT_END,
        tuple(Setting(str(size), {"batch": size}) for size in sizes),
        (_better("128", "8", _FINE_MARGIN), _as_good("128", "32", _FINE_MARGIN)),
    )


def _max_length() -> Experiment:
    lengths = (6, 8, 10, 12)
    return Experiment(
        "max-length",
        f"{_TIPS}, figure 4",
        _WITHOUT_END,
        (*(Setting(str(length), longest=length) for length in lengths), Setting("none")),
        (_better("none", "6", _MARGIN), _as_good("12", "none", _MARGIN)),
    )


def _averaging() -> Experiment:
    averaged = Side("average of 8", "averaged_loss")
    return Experiment(
        "averaging",
        f"{_TIPS}, figure 10",
        _WITHOUT_END,
        (Setting("average of 8", averaged=8),),
        (Comparison(averaged, Relation.BETTER, Side("average of 8")),),
    )


def _accumulation() -> Experiment:
    machines = (1, 2, 4, 8)
    return Experiment(
        "accumulation",
        f"{_TIPS}, figure 9",
        {**_WITHOUT_END, "batch": 16},
        tuple(Setting(str(count), accumulate=count) for count in machines),
        (_better("8", "1", _FINE_MARGIN), _as_good("8", "2", _FINE_MARGIN)),
    )


EXPERIMENTS: Final = {
    one.name: one
    for one in (
        _warm_up(),
        _learning_rate(),
        _batch_size(),
        _max_length(),
        _averaging(),
        _accumulation(),
    )
}


def experiment_of(name: str) -> Experiment:
    """The experiment of a name.

    Raises:
        ConfigError: there is none.
    """
    if name not in EXPERIMENTS:
        raise ConfigError(f"no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]
