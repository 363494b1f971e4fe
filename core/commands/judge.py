"""``judge``: what a model's labelled tasks say about a text, a pair, or several answers."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from core.commands.texts import Answer, add_text_options, answer_texts, rows, texts_of

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint
    from core.tasks import TaskJudgement


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "judge",
        allow_abbrev=False,
        help="ask labelled tasks about a text",
        description=(
            "Ask every labelled task of a model (MT-DNN) that fits: about one text; with --pair,"
            " about two; with --answer, which of several answers is the best."
        ),
    )
    add_text_options(parser, checkpoint="mtdnn")
    parser.add_argument(
        "--answer",
        action="append",
        default=[],
        metavar="TEXT",
        help="an answer to be ranked; two or more",
    )
    parser.add_argument(
        "--word", type=int, metavar="N", help="put word N in brackets, counted from 0"
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer ``{"text", "judgements": [{"task", "kind", ...}]}``.

    Classes and rankings have ``probabilities`` by label, in order; similarities and rankings
    ``scores``; answer networks ``steps``, the probabilities of each.
    """
    from core.tasks import judge_text

    def answer(checkpoint: Checkpoint, text: str, _line: int | None) -> Answer:
        result = judge_text(
            checkpoint,
            text,
            arguments.pair,
            answers=tuple(arguments.answer),
            word=arguments.word,
            cut=arguments.cut,
        )
        texts = result.encoding.texts[:1] if arguments.answer else result.encoding.texts
        cut = {"cut": result.encoding.cut} if result.encoding.cut else {}
        return texts_of(texts) | {"judgements": [_as_json(one) for one in result.judgements]} | cut

    return answer_texts(arguments, answer, table)


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
