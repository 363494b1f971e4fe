"""What BERT, ALBERT and StructBERT were asked about two sentences, and which model answers."""

from __future__ import annotations

from dataclasses import dataclass

from app.i18n import N_
from app.models import models
from app.parts.model_picker import ChosenModel, ModelFilter
from core.config import Head
from core.tasks.judge_pair import ELSEWHERE, FOLLOWS, IN_ORDER, PRECEDES, SWAPPED

LABELS = {
    FOLLOWS: N_("follows"),
    PRECEDES: N_("comes before"),
    ELSEWHERE: N_("from elsewhere"),
    IN_ORDER: N_("in order"),
    SWAPPED: N_("swapped"),
}


@dataclass(frozen=True)
class Objective:
    """One question.

    Attributes:
        system: that was trained on it.
        title: what the paper calls it.
        question: in plain words.
        figure: its name among the figures of a card.
        chance: how often a guess without a look is right.
        blind: what it cannot tell, and why.
        source: of the objective.
    """

    system: str
    title: str
    question: str
    figure: str
    chance: float
    blind: str
    source: str


OBJECTIVES = (
    Objective(
        "bert",
        N_("next sentence"),
        N_("Does the second follow the first?"),
        "next_sentence",
        1 / 2,
        N_(
            "Its wrong pairs came from other documents, so the topic gives the answer away. Which"
            " of two sentences comes first it was never asked."
        ),
        "Devlin et al. 2019, 3.1",
    ),
    Objective(
        "albert",
        N_("sentence order"),
        N_("Do they stand in their order?"),
        "sentence_order",
        1 / 2,
        N_(
            "Its wrong pairs are right ones swapped, so the topic gives nothing away. Ours met"
            " sentences from elsewhere for a while: they count as swapped."
        ),
        "Lan et al. 2020, 3.1",
    ),
    Objective(
        "structbert",
        N_("three-way"),
        N_("Next, previous, or from elsewhere?"),
        "sentence_structure",
        1 / 3,
        N_(
            "A third of its pairs are swapped and a third from other documents: it is asked for"
            " both, and a wrong order counts as wrong."
        ),
        "Wang et al. 2020, 2.3",
    ),
)
_SYSTEMS = {one.system for one in OBJECTIVES}
PAIRS = ModelFilter(
    lambda one: one.system in _SYSTEMS and Head.MASKED_LANGUAGE in one.heads,
    N_("{model} was asked nothing about pairs in training. You see {default} instead."),
)


def model_for(objective: Objective, chosen: ChosenModel) -> ChosenModel | None:
    """Who answers: the reader's model if it is of that system, else the one that comes along."""
    if chosen.entry is not None and chosen.entry.system == objective.system:
        return chosen
    found = next((one for one in models() if one.system == objective.system), None)
    return None if found is None else ChosenModel(found.name, found)
