"""``judge``: what a model's labelled tasks say about a text, a pair, or several answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.commands.task_verbs import Asked, TaskVerb
from core.commands.texts import Answer, cut_of, rows, texts_of

if TYPE_CHECKING:
    from core.tasks import JudgementResult, TaskJudgement


def answer(result: JudgementResult, asked: Asked) -> Answer:
    """``{"text", "judgements": [{"task", "kind", ...}]}``.

    Classes and rankings have ``probabilities`` by label, in order; similarities and rankings
    ``scores``; answer networks ``steps``, the probabilities of each.
    """
    texts = result.encoding.texts[:1] if asked.arguments.answers else result.encoding.texts
    judgements = [_as_json(one) for one in result.judgements]
    return texts_of(texts) | {"judgements": judgements} | cut_of(result.encoding)


def _as_json(judgement: TaskJudgement) -> Answer:
    found: Answer = {"task": judgement.task, "kind": judgement.kind.value}
    if judgement.labels:
        found["labels"] = list(judgement.labels)
        found["probabilities"] = list(judgement.probabilities)
    if judgement.scores:
        found["scores"] = list(judgement.scores)
    if judgement.steps:
        found["steps"] = [list(step.probabilities) for step in judgement.steps]
    return found


def table(answer: Answer) -> str:
    """The texts, then for every task its labels, the likeliest first, or its score."""
    parts = ["\n".join(answer[key] for key in ("text", "pair") if key in answer)]
    if "cut" in answer:
        parts.append(f"{answer['cut']} tokens were cut off")
    for one in answer["judgements"]:
        if "labels" not in one:
            parts.append(f"{one['task']}: {one['scores'][0]:.4f}")
            continue
        pairs = sorted(zip(one["probabilities"], one["labels"], strict=True), key=lambda p: -p[0])
        lines = [(f"{probability:.4f}", label) for probability, label in pairs]
        parts.append(f"{one['task']}\n{rows(lines)}")
    return "\n\n".join(parts)


VERB = TaskVerb(
    "core.tasks.judge_text:judge_text",
    "mtdnn",
    answer,
    table,
    flags={"answers": "answer"},
)
