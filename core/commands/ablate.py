"""``ablate``: what each head alone does for the words of a mask."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from core.commands.task_verbs import Asked, TaskVerb
from core.commands.texts import Answer, rows, texts_of

if TYPE_CHECKING:
    from core.tasks import HeadAblations

DIGITS = 6


def answer(result: HeadAblations, _asked: Asked) -> Answer:
    """``{"text", "position", "pieces": [{"token", "original", "before", "after"}]}``.

    ``before`` and ``after[layer][head]`` are log-probabilities in nats.
    """
    pieces = [
        {
            "token": one.token,
            "original": one.original,
            "before": round(one.before, DIGITS),
            "after": [[round(float(cell), DIGITS) for cell in row] for row in one.after],
        }
        for one in result.pieces
    ]
    return texts_of(result.texts) | {"position": result.position, "pieces": pieces}


def table(answer: Answer) -> str:
    """The text, then for every word how its log-probability changes without each head, in nats."""
    parts = [answer["text"]]
    for one in answer["pieces"]:
        hidden = ", which is hidden" if one["original"] else ""
        heading = f"{one['token']}{hidden}: {exp(one['before']):.4f} with every head"
        heads = [f"head {head}" for head in range(len(one["after"][0]))]
        changes = [
            (f"layer {layer}", *(f"{cell - one['before']:+.3f}" for cell in row))
            for layer, row in enumerate(one["after"])
        ]
        parts.append(f"{heading}\n{rows([('', *heads), *changes])}")
    return "\n\n".join(parts)


VERB = TaskVerb(
    "core.tasks.ablate_each:ablate_each",
    "bert",
    answer,
    table,
    flags={"mask_words": "mask-word"},
    note="Hide words behind [MASK], or by --mask-word. Log-probabilities are in nats.",
)
