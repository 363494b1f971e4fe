"""The same pair, the swapped pair, and a pair with a strange sentence, before three objectives."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.host import load_policy
from app.i18n import _
from app.parts.model_picker import ChosenModel
from app.parts.notices import notices
from app.sections.pairs.objectives import LABELS, OBJECTIVES, Objective, model_for
from app.sections.pairs.pair_card import Answer, PairCard, pair_card
from app.theme import probability
from core.checkpoints import CheckpointError
from core.checkpoints.figures import read_figures
from core.checkpoints.source import find_folder
from core.engine import call
from core.errors import MissingPairError
from core.tasks import PairJudgement, judge_pair

STANDARD_ERRORS = 2  # nearer to chance than so many, a figure says nothing


@dataclass(frozen=True)
class HeldOut:
    """How often a model was right on pairs that it had not seen.

    Attributes:
        share: of the pairs.
        pairs: how many.
    """

    share: float
    pairs: int

    def is_chance(self, chance: float) -> bool:
        """Whether a guess without a look would come as near."""
        error = (chance * (1 - chance) / self.pairs) ** 0.5
        return abs(self.share - chance) < STANDARD_ERRORS * error


def draw_judges(
    chosen: ChosenModel, text: str, pair: str | None, third: str, status: DeltaGenerator
) -> None:
    """Draw a card for each objective.

    Args:
        chosen: the reader's model.
        text, pair, third: the sentences A, B and C.
        status: where a wait is spoken of.

    Raises:
        MissingPairError: there is no second sentence.
    """
    if pair is None:
        raise MissingPairError
    columns = st.columns(len(OBJECTIVES), gap="small")
    for column, objective in zip(columns, OBJECTIVES, strict=True):
        with column.container(key=f"card-pair-{objective.system}", border=True), notices():
            model = model_for(objective, chosen)
            if model is None:
                st.caption(_("The model for this question has not come along."))
                continue
            _draw_card(objective, model, ((text, pair), (pair, text), (text, third)), status)


def _draw_card(
    objective: Objective,
    model: ChosenModel,
    asked: tuple[tuple[str, str], ...],
    status: DeltaGenerator,
) -> None:
    found = [ask(call(judge_pair, model.name, *one), status) for one in asked]
    names = (_("A, B"), _("B, A"), _("A, C"))
    labels = [_(LABELS[label]) for label in found[0].labels]
    pair_card(
        PairCard(
            question=_(objective.question),
            hint=_("{model}, {objective}").format(model=model.title, objective=_(objective.title)),
            labels=labels,
            answers=[
                Answer(name, one.probabilities) for name, one in zip(names, found, strict=True)
            ],
            moved=_moved(labels[0], found),
            blind=_(objective.blind),
            held_out=_held_out(objective, model),
        )
    )


def _moved(label: str, found: list[PairJudgement]) -> str:
    """By how much the first answer moves, in the two ways in which a pair can be wrong."""
    first, swapped, strange = (one.probabilities[0] for one in found)
    return _("“{label}” moves by {swapped} when they are swapped, by {strange} with C.").format(
        label=label,
        swapped=probability(abs(swapped - first)),
        strange=probability(abs(strange - first)),
    )


def _held_out(objective: Objective, model: ChosenModel) -> str:
    figure = held_out(model.name, objective.figure)
    if figure is None:
        return _("It came without a measured share of right answers.")
    said = _("Right on {share} of {pairs} unseen pairs; chance is {chance}.").format(
        share=probability(figure.share),
        pairs=f"{figure.pairs:,}",
        chance=probability(objective.chance),
    )
    if figure.is_chance(objective.chance):
        said += " " + _("So it has not learnt the task: do not read meaning into its answers.")
    return said


def held_out(name: str, key: str) -> HeldOut | None:
    """The figure of a model's card, of its first run that has it; None without one."""
    try:
        runs = read_figures(find_folder(name, load_policy()).path)
    except CheckpointError:
        return None
    for run in runs:
        share, pairs = run.figures.get(key), run.figures.get("pairs")
        if isinstance(share, float) and isinstance(pairs, int) and pairs > 0:
            return HeldOut(share, pairs)
    return None
