"""``detect``: which tokens of a text look as if they had been replaced."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from core.commands.texts import Answer, add_text_options, answer_texts, rows
from core.errors import HeadlightError

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint


class OriginalWithFileError(HeadlightError):
    """One original was given together with a file of texts."""

    def __init__(self) -> None:
        super().__init__("--original goes with --text, not with --file")


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "detect",
        allow_abbrev=False,
        help="find replaced tokens",
        description="Find the tokens of a text that look as if they had been replaced (ELECTRA).",
    )
    add_text_options(parser, checkpoint="electra", pair=False)
    parser.add_argument("--original", metavar="TEXT", help="the text before something was replaced")
    parser.add_argument(
        "--threshold",
        type=float,
        default=0.5,
        metavar="P",
        help="a token whose probability is larger counts as replaced (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer ``{"text", "tokens": [{"token", "start", "end", "probability", "replaced"}]}``.

    ``probability`` is that of having been replaced: 1 - D of the paper. With an original there is a
    ``truth`` for every token, and ``hits``, ``misses`` and ``false_alarms`` are counted.
    """
    from core.tasks import detect_replaced

    if arguments.file is not None and arguments.original is not None:
        raise OriginalWithFileError

    def answer(checkpoint: Checkpoint, text: str, _line: int | None) -> Answer:
        result = detect_replaced(
            checkpoint,
            text,
            original=arguments.original,
            threshold=arguments.threshold,
            cut=arguments.cut,
        )
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
        return found | ({"cut": result.encoding.cut} if result.encoding.cut else {})

    return answer_texts(arguments, answer, table)


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
