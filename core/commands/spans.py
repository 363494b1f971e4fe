"""``spans``: fill blanks with exactly as many words as are asked for, or as the model wants."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from core.commands.task_verbs import Asked, TaskVerb
from core.commands.texts import Answer
from core.commands.writing import add_writing_options, check_sampling, sampling_of

if TYPE_CHECKING:
    from core.tasks import Filling


def answer(filling: Filling, asked: Asked) -> Answer:
    """``{"text", "samples": [{"text", "blanks": [...]}]}``."""
    from core.decoding.blanks import MOST_FREE

    samples = [
        {"text": whole, "blanks": blanks}
        for whole, blanks in zip(filling.texts, filling.fillings, strict=True)
    ]
    for number, fillings in enumerate(filling.fillings, start=1):
        for blank in filling.blanks.bounded(fillings):
            where = f"line {asked.line}, " if asked.line is not None else ""
            note = f"{where}sample {number}: blank {blank + 1} was ended at {MOST_FREE} words"
            print(note, file=sys.stderr)
    # Greedily, all samples are one.
    return {"text": asked.text, "samples": samples * (asked.arguments.samples // len(samples))}


def table(answer: Answer) -> str:
    """Every sample's text."""
    return "\n\n".join(sample["text"] for sample in answer["samples"])


VERB = TaskVerb(
    "core.tasks.fill_spans:filling_spans",
    "t5",
    answer,
    table,
    left_out=("sampling", "top"),
    note="Every ___ of a text becomes one word, every ___8___ eight, and every ___*___ as many as"
    " the model wants, which ends it itself (T5). A blank has at most 512 words; a free one is"
    " ended at 32, and the standard error says so.",
    options=add_writing_options,
    check=check_sampling,
    values=lambda asked: {"sampling": sampling_of(asked.arguments)},
    told=("words", lambda step, _arguments: (step.words, step.wanted, step.done)),
)
