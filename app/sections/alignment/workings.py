"""The six alignment scores on paper: every product and sum that leads to a score, as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.i18n import N_, _
from core.analysis.alignment_steps import Numbers, WorkedScore
from core.recurrent_config import Alignment

SUBSCRIPTS: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MINUS: Final = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Recipe:
    """A score as papers write it.

    Args:
        title: what it is called, marked with `N_`.
        template: with blanks for the decoder's state `s` and one of the encoder, `h`.
        source: where it comes from.
    """

    title: str
    template: str
    source: str

    def formula(self, s: str = "s", h: str = "h") -> str:
        """The formula with names for the two states."""
        return self.template.format(s=s, h=h)


RECIPES: Final[Mapping[Alignment, Recipe]] = {
    Alignment.CONTENT: Recipe(
        N_("Content"), "{s} · {h} / (|{s}| |{h}|)", "Graves et al. 2014, § 3.3.1"
    ),
    Alignment.ADDITIVE: Recipe(
        N_("Additive"), "v · tanh(W {s} + U {h})", "Bahdanau et al. 2015, A.1.2"
    ),
    Alignment.GENERAL: Recipe(N_("General"), "{s} · W {h}", "Luong et al. 2015, § 3.1"),
    Alignment.DOT: Recipe(N_("Dot"), "{s} · {h}", "Luong et al. 2015, § 3.1"),
    Alignment.SCALED_DOT: Recipe(
        N_("Scaled dot"), "{s} · {h} / √d", "Vaswani et al. 2017, § 3.2.1"
    ),
    Alignment.LOCATION: Recipe(N_("Location"), "(L {s})ⱼ", "Luong et al. 2015, eq. 8"),
}


def number(value: float) -> str:
    """A number to three decimals, without those that say nothing: `2.121`, `3`, `−0.5`."""
    rounded = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if rounded in ("-0", "") else rounded.replace("-", MINUS)


def key_name(at: int) -> str:
    """The name of a state of the encoder: `h₁` for the first."""
    return f"h{at + 1}".translate(SUBSCRIPTS)


def shared_lines(worked: WorkedScore) -> list[str]:
    """What is worked out once for all states of the encoder."""
    match worked.kind:
        case Alignment.ADDITIVE:
            return [f"W s = {_vector(worked.steps['Ws'])}"]
        case Alignment.LOCATION:
            return [_("No state h counts, only its place j.")]
        case _:
            return []


def key_lines(
    worked: WorkedScore, at: int, query: Numbers, keys: Numbers, given: Mapping[str, Numbers]
) -> list[str]:
    """Line by line how the score of one state comes about, its last number being that score.

    Args:
        worked: of :func:`core.analysis.alignment_steps.work_out`.
        at: number of the state, counted from 0.
        query, keys, given: what was worked with.
    """
    name, score, steps = key_name(at), number(float(worked.scores[at])), worked.steps
    match worked.kind:
        case Alignment.CONTENT:
            own, other = steps["lengths"][at]
            total = number(float(steps["products"][at].sum()))
            lengths = number(float(own * other))
            ends = f"{total} / {lengths} = {score}" if own * other else _("no length, so 0")
            return [
                f"s · {name} = {_products(query, keys[at])} = {total}",
                f"|s| |{name}| = {number(float(own))} · {number(float(other))} = {lengths}",
                ends,
            ]
        case Alignment.ADDITIVE:
            tanh = steps["tanh"][at]
            return [
                f"U {name} = {_vector(steps['Uh'][at])}",
                f"tanh{_vector(steps['sum'][at])} = {_vector(tanh)}",
                f"{_products(given['v'], tanh)} = {score}",
            ]
        case Alignment.LOCATION:
            return [f"{_products(given['L'][at], query)} = {score}"]
        case Alignment.GENERAL:
            moved = steps["Wh"][at]
            return [f"W {name} = {_vector(moved)}", f"{_products(query, moved)} = {score}"]
        case Alignment.DOT:
            return [f"{_products(query, keys[at])} = {score}"]
        case Alignment.SCALED_DOT:
            total, root = steps["products"][at].sum(), float(steps["root"])
            return [
                f"{_products(query, keys[at])} = {number(float(total))}",
                f"{number(float(total))} / {number(root)} = {score}",
            ]


def weight_line(worked: WorkedScore) -> str:
    """The softmax, as the fraction of the first state."""
    # The largest is taken away first, as computers do; the fraction stays the same.
    shifted = np.exp(worked.scores - worked.scores.max())
    power = f"{number(float(worked.scores[0]))} − {_factor(float(worked.scores.max()))}"
    top, bottom = number(float(shifted[0])), number(float(shifted.sum()))
    weight = number(float(worked.weights[0]))
    return _("weight of {key}: e^({power}) / Σ = {top} / {bottom} = {weight}").format(
        key=key_name(0), power=power, top=top, bottom=bottom, weight=weight
    )


def context_line(worked: WorkedScore) -> str:
    """The sum of the states by their weights."""
    parts = [f"{number(float(one))}·{key_name(at)}" for at, one in enumerate(worked.weights)]
    return f"c = {' + '.join(parts)} = {_vector(worked.context)}"


def _products(left: Sequence[float] | Numbers, right: Sequence[float] | Numbers) -> str:
    return " + ".join(
        f"{_factor(float(one))}·{_factor(float(other))}"
        for one, other in zip(left, right, strict=True)
    )


def _factor(value: float) -> str:
    written = number(value)
    return f"({written})" if written.startswith(MINUS) else written


def _vector(values: Numbers) -> str:
    return f"({', '.join(number(float(one)) for one in values)})"
