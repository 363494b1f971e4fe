"""``align``: a translation, and where its writer looked for every piece of it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from core.commands.texts import Answer, add_text_options, answer_texts, rows
from core.commands.translating import add_translating_options, language_of

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "align",
        allow_abbrev=False,
        help="translate a text and align both sides",
        description="Translate a text and tell where the decoder looked for each piece (seq2seq).",
    )
    add_text_options(parser, checkpoint="seq2seq", pair=False, cut=False)
    add_translating_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Answer the tokens of both sides and the weights ``[target][source]``; rows sum to 1."""
    from core.tasks import align

    def answer(checkpoint: Checkpoint, text: str, _line: int | None) -> Answer:
        language = language_of(arguments, checkpoint)
        aligned = align(checkpoint, text, language=language, beams=arguments.beams)
        return {
            "text": aligned.translation.encoding.texts[0],
            "translation": aligned.translation.text,
            "source": aligned.source,
            "target": aligned.target,
            "weights": [[round(float(cell), 6) for cell in row] for row in aligned.weights],
        }

    return answer_texts(arguments, answer, table)


def table(answer: Answer) -> str:
    """The translation, then a line a written piece with its weights in hundredths."""
    lines = [("", *answer["source"])]
    for piece, weights in zip(answer["target"], answer["weights"], strict=True):
        lines.append(
            (piece, *(f"{100 * weight:.0f}" if weight >= 0.005 else "" for weight in weights))
        )
    return f"{answer['translation']}\n\n{rows(lines)}"
