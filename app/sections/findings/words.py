"""Verdicts, settings and measures as a reader says them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.i18n import _
from app.sections.findings.standing import Standing, State
from app.sections.warm_up.words import names_of
from core.experiments.record import GRADIENT_GROWTH, LAST_GRADIENT
from core.experiments.run import settings_of
from core.experiments.table import Experiment
from core.experiments.verdict import Compared, Relation, SettingMeasure

MARKS = {
    State.REPRODUCED: "✓",
    State.NOT_HERE: "≈",
    State.CONTRARY: "×",
    State.UNDECIDED: "…",
    State.UNRECORDED: "–",
}


def state_in_words(state: State) -> str:
    """A verdict, or why there is none."""
    return {
        State.REPRODUCED: _("reproduced"),
        State.NOT_HERE: _("not at this scale"),
        State.CONTRARY: _("contrary"),
        State.UNDECIDED: _("too few seeds yet"),
        State.UNRECORDED: _("not recorded yet"),
    }[state]


def verdict_in_words(standing: Standing) -> str:
    """A verdict, with how many parts of the claim hold."""
    said = state_in_words(standing.state)
    if standing.verdict is None or len(standing.verdict.compared) == 1:
        return said
    parts = standing.verdict.compared
    return _("{verdict}: {holding} of {parts} parts hold").format(
        verdict=said, holding=sum(one.holds for one in parts), parts=len(parts)
    )


def setting_names(experiment: Experiment) -> dict[str, str]:
    """What the reader calls each setting, by its name in the table of experiments."""
    settings = experiment.settings
    if any(one.accumulate > 1 for one in settings):
        words = [_machines(one.accumulate) for one in settings]
    elif any(one.longest for one in settings):
        words = [
            _("at most {count} tokens a side").format(count=one.longest)
            if one.longest
            else _("no limit")
            for one in settings
        ]
    elif len(settings) == 1:
        words = [_("last weights")]
    else:
        words = names_of([settings_of(experiment, one, 0) for one in settings])
    if len(set(words)) < len(words):  # they differ in what has no words here
        words = [one.name for one in settings]
    return {one.name: word for one, word in zip(settings, words, strict=True)}


def side_in_words(side: SettingMeasure, names: dict[str, str]) -> str:
    """One side of a comparison: a setting, or what was made of its weights."""
    return _("mean of eight weights") if side.measure == "averaged_loss" else names[side.setting]


def relation_in_words(compared: Compared) -> str:
    """What a comparison says of every seed, with its margin."""
    comparison = compared.comparison
    words = {
        LAST_GRADIENT: _("last layer’s norm smaller by a factor of {factor} than"),
        GRADIENT_GROWTH: _("last over first layer smaller by a factor of {factor} than"),
    }.get(comparison.first.measure)
    if words is None:
        words = {
            Relation.BETTER: _("lower by {margin} or more than"),
            Relation.AS_GOOD: _("at most {margin} above"),
        }[comparison.relation]
    factor = f"{math.exp(comparison.margin):.2f}"
    return words.format(margin=f"{comparison.margin:g}", factor=factor)


def holds_in_words(compared: Compared) -> str:
    """What the runs show of a comparison."""
    if compared.holds:
        return _("holds")
    return _("the opposite holds") if compared.reversed else _("does not show")


def range_in_words(values: Sequence[float], side: SettingMeasure) -> str:
    """Least and most of the seeds: `0.108 to 0.136`; what diverged is infinite."""
    shown = sorted(math.exp(one) if is_factor(side) else one for one in values)
    if shown[0] == shown[-1]:
        return number(shown[0])
    return _("{least} to {most}").format(least=number(shown[0]), most=number(shown[-1]))


def number(value: float) -> str:
    """A measure in three places, or three digits where it is large."""
    if math.isinf(value):
        return _("diverged")
    return f"{value:.3f}" if value < 10 else f"{value:.3g}"


def is_factor(side: SettingMeasure) -> bool:
    """Whether a measure is kept as a logarithm, so that its differences are factors."""
    return side.measure in (LAST_GRADIENT, GRADIENT_GROWTH)


def count_of(standings: Sequence[Standing], state: State) -> int:
    """How many findings stand so."""
    return sum(one.state is state for one in standings)


def _machines(count: int) -> str:
    if count == 1:
        return _("1 machine")
    return _("{count} machines, simulated").format(count=count)
