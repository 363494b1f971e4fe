"""``translate``: a text in another language."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.commands.attend import write_trace
from core.commands.texts import Answer, add_text_options, answer_texts
from core.commands.translating import add_translating_options, language_of

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "translate",
        allow_abbrev=False,
        help="translate a text",
        description="Translate a text with beam search (Transformer, seq2seq).",
    )
    add_text_options(parser, checkpoint="transformer", pair=False, cut=False)
    add_translating_options(parser)
    parser.add_argument(
        "--out",
        type=Path,
        metavar="PATH",
        help="attention of the translation (patterns.cross [layer, head, target, source] and more):"
        " an .npz file for --text; for --file a folder, line 7 becomes 00007.npz in it",
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer ``{"source", "target"}``; write the attention where asked."""
    from core.tasks import align, translate

    def answer(checkpoint: Checkpoint, text: str, line: int | None) -> Answer:
        how: dict[str, Any] = {
            "language": language_of(arguments, checkpoint),
            "beams": arguments.beams,
        }
        if arguments.out is None:
            translation = translate(checkpoint, text, **how)
            return {"source": translation.encoding.texts[0], "target": translation.text}
        aligned = align(checkpoint, text, **how)
        path = arguments.out if line is None else arguments.out / f"{line:05}.npz"
        write_trace(path, aligned.attention)
        translation = aligned.translation
        source = translation.encoding.texts[0]
        return {"source": source, "target": translation.text, "out": str(path)}

    if arguments.out is not None and arguments.file is not None:
        arguments.out.mkdir(parents=True, exist_ok=True)
    return answer_texts(arguments, answer, table)


def table(answer: Answer) -> str:
    """The translation alone."""
    return str(answer["target"])
