"""``align``: a translation, and where its writer looked for every piece of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.commands.task_verbs import Asked, TaskVerb
from core.commands.texts import Answer, rows
from core.commands.translate import language_of

if TYPE_CHECKING:
    from core.tasks import Alignment


def answer(aligned: Alignment, _asked: Asked) -> Answer:
    """The tokens of both sides and the weights ``[target][source]``; rows sum to 1."""
    return {
        "text": aligned.translation.encoding.texts[0],
        "translation": aligned.translation.text,
        "source": aligned.source,
        "target": aligned.target,
        "weights": [[round(float(cell), 6) for cell in row] for row in aligned.weights],
    }


def table(answer: Answer) -> str:
    """The translation, then a line a written piece with its weights in hundredths."""
    lines = [("", *answer["source"])]
    for piece, weights in zip(answer["target"], answer["weights"], strict=True):
        lines.append(
            (piece, *(f"{100 * weight:.0f}" if weight >= 0.005 else "" for weight in weights))
        )
    return f"{answer['translation']}\n\n{rows(lines)}"


VERB = TaskVerb(
    "core.tasks.align:align",
    "seq2seq",
    answer,
    table,
    flags={"language": "to"},
    types={"language": (str, "LANGUAGE")},
    note="Without --to it is the first language that the model knows.",
    values=lambda asked: {"language": language_of(asked)},
)
