"""``fill``: what a model would put in the place of hidden words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.commands.task_verbs import Asked, TaskVerb
from core.commands.texts import Answer, cut_of, rows, texts_of

if TYPE_CHECKING:
    from core.tasks import FillMaskResult


def answer(result: FillMaskResult, _asked: Asked) -> Answer:
    """``{"text", "masks": [{"position", "predictions": [{"token", "probability"}]}]}``."""
    masks = [
        {
            "position": mask.position,
            "predictions": [prediction._asdict() for prediction in mask.predictions],
        }
        for mask in result.masks
    ]
    return texts_of(result.texts) | {"masks": masks} | cut_of(result.encoding)


def table(answer: Answer) -> str:
    """The texts, then for every mask its guesses with their probabilities."""
    parts = ["\n".join(answer[key] for key in ("text", "pair") if key in answer)]
    if "cut" in answer:
        parts.append(f"{answer['cut']} tokens were cut off")
    for mask in answer["masks"]:
        guesses = [(f"{guess['probability']:.4f}", guess["token"]) for guess in mask["predictions"]]
        parts.append(f"mask at token {mask['position']}\n{rows(guesses)}")
    return "\n\n".join(parts)


VERB = TaskVerb(
    "core.tasks.fill_mask:fill_mask",
    "bert",
    answer,
    table,
    flags={"mask_words": "mask-word"},
    left_out=("off", "patterns"),
    note="Hide words behind [MASK], or by --mask-word.",
)
