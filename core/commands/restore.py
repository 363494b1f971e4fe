"""``restore``: shuffled words put back in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.commands.task_verbs import Asked, TaskVerb
from core.commands.texts import Answer, rows

if TYPE_CHECKING:
    from core.tasks import RestoredOrder


def answer(result: RestoredOrder, _asked: Asked) -> Answer:
    """``{"text", "restored", "settled", "places": [{"token", "predictions"}]}``.

    ``predictions`` are ``[{"token", "probability"}]``, of the text as it was given.
    """
    return {
        "text": result.encoding.texts[0],
        "restored": result.restored,
        "settled": result.settled,
        "places": [
            {
                "token": read.token,
                "predictions": [prediction._asdict() for prediction in read.predictions],
            }
            for read in result.tokens
        ],
    }


def table(answer: Answer) -> str:
    """The text, the words in order, then for every position its piece and the guesses."""
    lines = []
    for read in answer["places"]:
        guesses = (f"{one['token']} {one['probability']:.3f}" for one in read["predictions"])
        lines.append((read["token"], *guesses))
    return f"{answer['text']}\n{answer['restored']}\n\n{rows(lines)}"


VERB = TaskVerb(
    "core.tasks.restore_order:restore_order",
    "structbert",
    answer,
    table,
    left_out=("rounds",),
    note="StructBERT was trained on single shuffled trigrams in texts that are otherwise in order.",
)
