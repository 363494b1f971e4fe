"""``classify``: the labels that a fine-tuned model gives to texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.commands.task_verbs import Asked, TaskVerb
from core.commands.texts import Answer, cut_of, rows, texts_of

if TYPE_CHECKING:
    from core.tasks.fine_tuned import ClassifiedText


def answer(result: ClassifiedText, _asked: Asked) -> Answer:
    """``{"text", "labels", "choice", "scores", "probabilities"}``, by the numbers of the labels.

    ``choice`` is ``one`` (of the labels), ``several`` or ``number``, which has no probabilities.
    """
    found: Answer = {
        "labels": list(result.labels),
        "choice": result.choice.value,
        "scores": list(result.scores),
    }
    if result.probabilities:
        found["probabilities"] = list(result.probabilities)
    return texts_of(result.encoding.texts) | found | cut_of(result.encoding)


def table(answer: Answer) -> str:
    """The texts, then the labels with their probabilities or scores, the largest first."""
    parts = ["\n".join(answer[key] for key in ("text", "pair") if key in answer)]
    if "cut" in answer:
        parts.append(f"{answer['cut']} tokens were cut off")
    numbers = answer["probabilities" if "probabilities" in answer else "scores"]
    pairs = sorted(zip(numbers, answer["labels"], strict=True), key=lambda pair: -pair[0])
    parts.append(rows([(f"{number:.4f}", label) for number, label in pairs]))
    return "\n\n".join(parts)


VERB = TaskVerb("core.tasks.fine_tuned:classify_text", None, answer, table)
