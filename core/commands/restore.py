"""``restore``: shuffled words put back in order."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from core.commands.texts import Answer, add_text_options, answer_texts, rows

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "restore",
        allow_abbrev=False,
        help="put shuffled words back in order",
        description=(
            "Put the words of a text in the order that a model finds best (StructBERT). It was"
            " trained on single shuffled trigrams in texts that are otherwise in order."
        ),
    )
    add_text_options(parser, checkpoint="structbert", pair=False, cut=False)
    parser.add_argument("--top", type=int, default=5, help="guesses a place (default: %(default)s)")


def run(arguments: argparse.Namespace) -> int:
    """Answer ``{"text", "restored", "settled", "places": [{"token", "predictions"}]}``.

    ``predictions`` are ``[{"token", "probability"}]``, of the text as it was given.
    """
    from core.tasks import restore_order

    def answer(checkpoint: Checkpoint, text: str, _line: int | None) -> Answer:
        result = restore_order(checkpoint, text, top=arguments.top)
        return {
            "text": result.encoding.texts[0],
            "restored": result.restored,
            "settled": result.settled,
            "places": [
                {
                    "token": place.token,
                    "predictions": [prediction._asdict() for prediction in place.predictions],
                }
                for place in result.places
            ],
        }

    return answer_texts(arguments, answer, table)


def table(answer: Answer) -> str:
    """The text, the words in order, then for every place its piece and the guesses."""
    lines = []
    for place in answer["places"]:
        guesses = (f"{one['token']} {one['probability']:.3f}" for one in place["predictions"])
        lines.append((place["token"], *guesses))
    return f"{answer['text']}\n{answer['restored']}\n\n{rows(lines)}"
