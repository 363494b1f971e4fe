"""``tag``: the labels that a fine-tuned model gives to tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.commands.task_verbs import Asked, TaskVerb
from core.commands.texts import Answer, cut_of, rows, texts_of

if TYPE_CHECKING:
    from core.tasks.fine_tuned import TaggedText


def answer(result: TaggedText, _asked: Asked) -> Answer:
    """``{"text", "labels", "tokens", "best", "probabilities"}``, the last three by token."""
    found: Answer = {
        "labels": list(result.labels),
        "tokens": list(result.encoding.pieces),
        "best": list(result.best),
        "probabilities": result.probabilities.tolist(),
    }
    return texts_of(result.encoding.texts) | found | cut_of(result.encoding)


def table(answer: Answer) -> str:
    """The text, then every token with its likeliest label."""
    parts = [answer["text"]]
    if "cut" in answer:
        parts.append(f"{answer['cut']} tokens were cut off")
    each = zip(answer["tokens"], answer["best"], answer["probabilities"], strict=True)
    parts.append(rows([(token, label, f"{max(shares):.4f}") for token, label, shares in each]))
    return "\n\n".join(parts)


VERB = TaskVerb("core.tasks.fine_tuned:tag_tokens", None, answer, table)
