"""``pairs``: how two texts belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.commands.task_verbs import Asked, TaskVerb
from core.commands.texts import Answer, cut_of, rows, texts_of

if TYPE_CHECKING:
    from core.tasks import PairJudgement


def values(asked: Asked) -> dict[str, Any]:
    """Both texts of a line."""
    if asked.line is None:
        return {}
    text, tab, second = asked.text.partition("\t")
    return {"text": text, "pair": second if tab else None}


def answer(result: PairJudgement, _asked: Asked) -> Answer:
    """``{"text", "pair", "objective", "probabilities": {label: p}}``."""
    probabilities = dict(zip(result.labels, result.probabilities, strict=True))
    found = {"objective": result.objective, "probabilities": probabilities}
    return texts_of(result.encoding.texts) | found | cut_of(result.encoding)


def table(answer: Answer) -> str:
    """The texts, then every answer with its probability, the likeliest first."""
    parts = [f"{answer['text']}\n{answer['pair']}"]
    if "cut" in answer:
        parts.append(f"{answer['cut']} tokens were cut off")
    labels = sorted(answer["probabilities"].items(), key=lambda one: -one[1])
    lines = rows([(f"{probability:.4f}", label) for label, probability in labels])
    parts.append(f"{answer['objective']}\n{lines}")
    return "\n\n".join(parts)


VERB = TaskVerb(
    "core.tasks.judge_pair:judge_pair",
    "bert",
    answer,
    table,
    left_out=("off", "patterns"),
    note="Does the second text follow the first (BERT), do the two stand in their order (ALBERT),"
    " or does it follow, come before, or neither (StructBERT)? A line of --file is two texts with a"
    " tab between.",
    values=values,
)
