"""``spans``: fill blanks with exactly as many words as are asked for, or as the model wants."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from core.commands.texts import Answer, add_text_options, answer_texts
from core.commands.writing import Progress, add_writing_options, sampling_of

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "spans",
        allow_abbrev=False,
        help="fill blanks with so many words, or as many as the model wants",
        description="Fill every ___ of a text with one word, every ___8___ with eight, and every"
        " ___*___ with as many as the model wants, which ends it itself (T5). A blank has at most"
        " 512 words; a free one is ended at 32, and the standard error says so.",
    )
    add_text_options(parser, checkpoint="t5", pair=False, cut=False)
    add_writing_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Answer ``{"text", "samples": [{"text", "blanks": [...]}]}``."""
    from core.decoding.blanks import MOST_FREE
    from core.tasks import filling_spans, find_blanks

    sampling = sampling_of(arguments)

    def answer(checkpoint: Checkpoint, text: str, line: int | None) -> Answer:
        progress = Progress("words", wanted=arguments.progress)
        for filling in filling_spans(
            checkpoint, text, samples=arguments.samples, sampling=sampling, seed=arguments.seed
        ):
            last = filling
            progress.tell(filling.words, filling.wanted, over=filling.done)
        samples = [
            {"text": whole, "blanks": blanks}
            for whole, blanks in zip(last.texts, last.fillings, strict=True)
        ]
        blanks = find_blanks(text)
        for number, fillings in enumerate(last.fillings, start=1):
            for blank in blanks.bounded(fillings):
                where = f"line {line}, " if line is not None else ""
                note = f"{where}sample {number}: blank {blank + 1} was ended at {MOST_FREE} words"
                print(note, file=sys.stderr)
        # Without chance all samples are one.
        return {"text": text, "samples": samples * (arguments.samples // len(samples))}

    return answer_texts(arguments, answer, table)


def table(answer: Answer) -> str:
    """Every sample's text."""
    return "\n\n".join(sample["text"] for sample in answer["samples"])
