"""``detect``: which tokens of a text look as if they had been replaced."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from core.commands.task_verbs import Asked, TaskVerb
from core.commands.texts import Answer, cut_of, rows
from core.errors import HeadlightError

if TYPE_CHECKING:
    from core.tasks import DetectionResult


class OriginalWithFileError(HeadlightError):
    """One original was given together with a file of texts."""

    def __init__(self) -> None:
        super().__init__("--original goes with --text, not with --file")


def check(arguments: argparse.Namespace) -> None:
    """Refuse one original for a file of texts."""
    if arguments.file is not None and arguments.original is not None:
        raise OriginalWithFileError


def answer(result: DetectionResult, _asked: Asked) -> Answer:
    """``{"text", "tokens": [{"token", "start", "end", "probability", "replaced"}]}``.

    ``probability`` is that of having been replaced: 1 - D of the paper. With an original there is a
    ``truth`` for every token, and ``hits``, ``misses`` and ``false_alarms`` are counted.
    """
    tokens: list[Answer] = [
        {
            "token": token.token,
            "start": token.start,
            "end": token.end,
            "probability": token.probability,
            "replaced": token.replaced,
            **({} if token.truth is None else {"truth": token.truth}),
        }
        for token in result.tokens
    ]
    found: Answer = {"text": result.encoding.texts[0], "tokens": tokens}
    if result.original is not None:
        found |= {
            "original": result.original,
            "hits": result.hits,
            "misses": result.misses,
            "false_alarms": result.false_alarms,
        }
    return found | cut_of(result.encoding)


def table(answer: Answer) -> str:
    """The text, then for every token its probability, the verdict and, if known, the truth."""
    parts = [answer["text"]]
    if "cut" in answer:
        parts.append(f"{answer['cut']} tokens were cut off")
    lines = []
    for token in answer["tokens"]:
        verdict = "replaced" if token["replaced"] else ""
        truth = "truly" if token.get("truth") else ""
        lines.append((f"{token['probability']:.4f}", token["token"], verdict, truth))
    parts.append(rows(lines))
    if "original" in answer:
        parts.append(
            f"found {answer['hits']}, missed {answer['misses']},"
            f" false alarms {answer['false_alarms']}"
        )
    return "\n\n".join(parts)


VERB = TaskVerb(
    "core.tasks.detect_replaced:detect_replaced",
    "electra",
    answer,
    table,
    check=check,
)
