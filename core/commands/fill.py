"""``fill``: what a model would put in the place of hidden words."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from core.commands.texts import Answer, add_text_options, answer_texts, rows, texts_of

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "fill",
        allow_abbrev=False,
        help="guess hidden words",
        description="Guess the words hidden behind [MASK] or by --mask-word.",
    )
    add_text_options(parser)
    parser.add_argument("--top", type=int, default=5, help="guesses a mask (default: %(default)s)")
    parser.add_argument(
        "--mask-word",
        type=int,
        action="append",
        default=[],
        metavar="N",
        help="hide word N, counted from 0; repeatable; one of k pieces becomes k masks",
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer ``{"text", "masks": [{"position", "predictions": [{"token", "probability"}]}]}``."""
    from core.tasks import fill_mask

    def answer(checkpoint: Checkpoint, text: str, _line: int | None) -> Answer:
        result = fill_mask(
            checkpoint,
            text,
            arguments.pair,
            mask_words=arguments.mask_word,
            top=arguments.top,
            cut=arguments.cut,
        )
        masks = [
            {
                "position": mask.position,
                "predictions": [prediction._asdict() for prediction in mask.predictions],
            }
            for mask in result.masks
        ]
        cut = {"cut": result.encoding.cut} if result.encoding.cut else {}
        return texts_of(result.texts) | {"masks": masks} | cut

    return answer_texts(arguments, answer, table)


def table(answer: Answer) -> str:
    """The texts, then for every mask its guesses with their probabilities."""
    parts = ["\n".join(answer[key] for key in ("text", "pair") if key in answer)]
    if "cut" in answer:
        parts.append(f"{answer['cut']} tokens were cut off")
    for mask in answer["masks"]:
        guesses = [(f"{guess['probability']:.4f}", guess["token"]) for guess in mask["predictions"]]
        parts.append(f"mask at token {mask['position']}\n{rows(guesses)}")
    return "\n\n".join(parts)
