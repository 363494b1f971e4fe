"""The experiments: what is trained, with what differences, and what is claimed of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

from core.errors import ConfigError
from core.experiments.record import (
    GRADIENT_GROWTH,
    LAST_GRADIENT,
    RecordedRun,
    losses_of,
)
from core.experiments.verdict import Comparison, Relation, SettingMeasure, Verdict, judge


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


def _better(first: str, second: str) -> Comparison:
    return Comparison(SettingMeasure(first), Relation.BETTER, SettingMeasure(second), MARGIN)


def _as_good(first: str, second: str) -> Comparison:
    return Comparison(SettingMeasure(first), Relation.AS_GOOD, SettingMeasure(second), MARGIN)


MARGIN: Final = 0.05
"""Nats a token that count as a difference; set before any run was recorded, for two reasons.

The held-out pairs have 1,769 target tokens. Where the losses of single tokens deviate by 1 nat, a
mean over so many has a standard error of 0.024, so that a gap of less than twice that might be gone
with other pairs. And 0.05 nats are 5 % of perplexity, or 1.2 % of the 4.14 nats that a guess among
all 63 words costs: no chart shows less, and nobody who reads of a run that fails means less.
"""
FINE_MARGIN: Final = 0.005
"""Nats a token that count between two measures of one run on the same pairs.

There the luck of the pairs is shared and nearly cancels. The paper's gain from averaging is about
0.2 BLEU of 26, so 0.8 %; 0.005 nats are 0.5 % of perplexity. Set before any run was recorded.
"""
FACTOR: Final = math.log(2) / 2
"""Natural logarithm of the factor by which gradient norms count as different: the root of 2.

From 2 layers to 8 the norm in the last layer of a pre-norm model falls by a factor of 2 if it falls
with the root of the depth (2002.04745, theorem 1): half of that way, in logarithms, is nearer to
the theory than to no change. Set before any run was recorded.
"""

STEPS: Final = 2_000
"""Of every run whose end is measured; one number for all.

A first recording, on a CPU, had 600. This number was set before any of its runs was recorded.
"""

# English number words to German ones: held-out loss is measured on 256 pairs.
_NUMBERS: Final = {"task": "numbers", "width": 64, "steps": STEPS, "look_every": 20}
_TIPS: Final = "Popel and Bojar 2018, “Training Tips for the Transformer Model” (1804.00247)"
# The rate of the tips falls with the root of the steps and never to 0. Two layers a side do
# for it; it is norms that need depth.
_WITHOUT_END: Final = {
    **_NUMBERS,
    "depth": 2,
    "shape": "inverse-root",
    "warm_up": 100,
    "peak_rate": 2e-3,
}


def _warm_up() -> Experiment:
    def setting(norm: str, method: str, warm_up: int) -> Setting:
        optimiser = {"adam": "Adam", "radam": "RAdam"}[method]
        name = f"{norm}-norm, {optimiser}, {'warm-up' if warm_up else 'no warm-up'}"
        return Setting(name, {"norm": norm, "method": method, "warm_up": warm_up})

    plain, warm = setting("post", "adam", 0), setting("post", "adam", 200)
    pre, pre_warm = setting("pre", "adam", 0), setting("pre", "adam", 200)
    rectified = setting("post", "radam", 0)
    return Experiment(
        "warm-up",
        "Liu et al. 2020 (1908.03265), figure 1; Xiong et al. 2020 (2002.04745), section 3.2",
        # Deep enough for norms to matter.
        {**_NUMBERS, "depth": 6, "shape": "linear", "peak_rate": 2e-3},
        (plain, warm, rectified, pre, pre_warm),
        (
            _better(warm.name, plain.name),
            _as_good(pre.name, pre_warm.name),
            _better(rectified.name, plain.name),
            _as_good(rectified.name, warm.name),
        ),
    )


def _first_gradients() -> Experiment:
    def name(norm: str, depth: int) -> str:
        return f"{norm}-norm, {depth} layers"

    def lower(first: str, second: str, measure: str) -> Comparison:
        return Comparison(
            SettingMeasure(first, measure), Relation.BETTER, SettingMeasure(second, measure), FACTOR
        )

    return Experiment(
        "first-gradients",
        "Xiong et al. 2020 (2002.04745), section 3.4, figure 3",
        # What is measured is there before the first step; nothing runs in fewer than ten.
        {**_NUMBERS, "steps": 10, "look_every": 10, "shape": "linear", "warm_up": 5},
        tuple(
            Setting(name(norm, depth), {"norm": norm, "depth": depth})
            for norm, depth in product(("post", "pre"), (2, 4, 8))
        ),
        (
            lower(name("pre", 8), name("post", 8), GRADIENT_GROWTH),
            lower(name("pre", 8), name("post", 8), LAST_GRADIENT),
            lower(name("pre", 8), name("pre", 2), LAST_GRADIENT),
        ),
    )


def _learning_rate() -> Experiment:
    # The paper's are 0.01, 0.05, 0.20 and 0.30 in units of its own.
    rates = {"1e-4": 1e-4, "5e-4": 5e-4, "2e-3": 2e-3, "2e-2": 2e-2}
    return Experiment(
        "learning-rate",
        f"{_TIPS}, section 4.6, figure 7",
        _WITHOUT_END,
        tuple(Setting(name, {"peak_rate": rate}) for name, rate in rates.items()),
        (_as_good("5e-4", "2e-3"), _better("2e-3", "1e-4"), _better("2e-3", "2e-2")),
    )


def _batch_size() -> Experiment:
    return Experiment(
        "batch-size",
        f"{_TIPS}, section 4.5, figures 5 and 6",
        _WITHOUT_END,
        tuple(Setting(str(size), {"batch": size}) for size in (8, 32, 128)),
        (_better("32", "8"), _as_good("128", "32")),
    )


def _max_length() -> Experiment:
    limits = (6, 8, 10)
    return Experiment(
        "max-length",
        f"{_TIPS}, section 4.4, figure 4",
        _WITHOUT_END,
        (*(Setting(str(limit), longest=limit) for limit in limits), Setting("none")),
        tuple(_better("none", str(limit)) for limit in limits),
    )


def _averaging() -> Experiment:
    averaged = SettingMeasure("average of 8", "averaged_loss")
    return Experiment(
        "averaging",
        f"{_TIPS}, section 4.10, figure 10",
        _WITHOUT_END,
        (Setting("average of 8", averaged=8),),
        (Comparison(averaged, Relation.BETTER, SettingMeasure("average of 8"), FINE_MARGIN),),
    )


def _accumulation() -> Experiment:
    return Experiment(
        "accumulation",
        f"{_TIPS}, section 4.7, figure 9",
        {**_WITHOUT_END, "batch": 16},
        tuple(Setting(str(count), accumulate=count) for count in (1, 2, 8)),
        (_better("2", "1"), _better("8", "2")),
    )


EXPERIMENTS: Final = {
    one.name: one
    for one in (
        _warm_up(),
        _first_gradients(),
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
