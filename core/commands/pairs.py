"""``pairs``: how two texts belong together."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from core.commands.texts import Answer, add_text_options, answer_texts, rows, texts_of

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "pairs",
        allow_abbrev=False,
        help="judge how two texts belong together",
        description=(
            "Does the second text follow the first (BERT), do the two stand in their order"
            " (ALBERT), or does it follow, come before, or neither (StructBERT)?"
            " A line of --file is two texts with a tab between."
        ),
    )
    add_text_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Answer ``{"text", "pair", "objective", "probabilities": {label: p}}``."""
    from core.tasks import judge_pair

    def answer(checkpoint: Checkpoint, text: str, line: int | None) -> Answer:
        pair = arguments.pair
        if line is not None:
            text, tab, second = text.partition("\t")
            pair = second if tab else None
        result = judge_pair(checkpoint, text, pair, cut=arguments.cut)
        cut = {"cut": result.encoding.cut} if result.encoding.cut else {}
        return (
            texts_of(result.encoding.texts)
            | {
                "objective": result.objective,
                "probabilities": dict(zip(result.labels, result.probabilities, strict=True)),
            }
            | cut
        )

    return answer_texts(arguments, answer, table)


def table(answer: Answer) -> str:
    """The texts, then every answer with its probability, the likeliest first."""
    parts = [f"{answer['text']}\n{answer['pair']}"]
    if "cut" in answer:
        parts.append(f"{answer['cut']} tokens were cut off")
    labels = sorted(answer["probabilities"].items(), key=lambda one: -one[1])
    lines = rows([(f"{probability:.4f}", label) for label, probability in labels])
    parts.append(f"{answer['objective']}\n{lines}")
    return "\n\n".join(parts)
