"""``answer``: where a text answers a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.commands.pairs import values
from core.commands.task_verbs import Asked, TaskVerb
from core.commands.texts import Answer, cut_of, rows, texts_of

if TYPE_CHECKING:
    from core.tasks.fine_tuned import AnsweredQuestion


def answer(result: AnsweredQuestion, _asked: Asked) -> Answer:
    """``{"text", "pair", "answers": [{"text", "start", "end", "score", "probability"}]}``.

    ``start`` and ``end`` count tokens, the question's and the special ones included.
    """
    answers = [dict(vars(one)) for one in result.answers]
    return texts_of(result.encoding.texts) | {"answers": answers} | cut_of(result.encoding)


def table(answer: Answer) -> str:
    """Question and text, then the answers with their probabilities, the best first."""
    parts = [f"{answer['text']}\n{answer['pair']}"]
    if "cut" in answer:
        parts.append(f"{answer['cut']} tokens were cut off")
    lines = [(f"{one['probability']:.4f}", one["text"]) for one in answer["answers"]]
    parts.append(rows(lines) if lines else "no answer")
    return "\n\n".join(parts)


VERB = TaskVerb(
    "core.tasks.fine_tuned:answer_question",
    None,
    answer,
    table,
    note="The text is the question, the second text answers it. A line of --file is both with a tab"
    " between.",
    values=values,
)
