"""``continue``: go on with a text."""  # noqa: N999 - a verb is the name of its module

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from core.commands.texts import Answer, add_text_options, answer_texts
from core.commands.writing import Progress, add_writing_options, sampling_of

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "continue",
        allow_abbrev=False,
        help="go on with a text",
        description="Let a model go on with a text, piece by piece (GPT).",
    )
    add_text_options(parser, checkpoint="gpt", pair=False, cut=False)
    parser.add_argument(
        "--tokens",
        type=int,
        default=64,
        metavar="N",
        help="pieces to write at most; the model may end sooner (default: %(default)s)",
    )
    add_writing_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Answer ``{"text", "samples": ["..."]}``, each sample with the person's own text in front."""
    from core.tasks import continuing_text

    sampling = sampling_of(arguments)

    def answer(checkpoint: Checkpoint, text: str, _line: int | None) -> Answer:
        progress = Progress("pieces", wanted=arguments.progress)
        for step in continuing_text(
            checkpoint,
            text,
            most=arguments.tokens,
            samples=arguments.samples,
            sampling=sampling,
            seed=arguments.seed,
        ):
            last = step
            progress.tell(step.step.number + 1, arguments.tokens, over=step.done)
        # Without chance all samples are one.
        samples = list(last.texts) * (arguments.samples // len(last.texts))
        return {"text": last.encoding.texts[0], "samples": samples}

    return answer_texts(arguments, answer, table)


def table(answer: Answer) -> str:
    """Every sample's text."""
    return "\n\n".join(answer["samples"])
