"""``attend``: what every head of every layer looks at."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.commands.texts import Answer, add_text_options, answer_texts, rows, texts_of

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint
    from core.tasks import AttendResult


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "attend",
        allow_abbrev=False,
        help="record every attention pattern",
        description="Record what every head of every layer looks at.",
    )
    add_text_options(parser)
    parser.add_argument(
        "--out",
        type=Path,
        metavar="PATH",
        help="an .npz file for --text; for --file a folder, line 7 becomes 00007.npz in it",
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer the tokens and the shape of the patterns; write the arrays where asked."""
    from core.tasks import attend

    def answer(checkpoint: Checkpoint, text: str, line: int | None) -> Answer:
        result = attend(checkpoint, text, arguments.pair, cut=arguments.cut)
        layers, heads = result.patterns.shape[:2]
        encoding = result.encoding
        answer = texts_of(encoding.texts) | {
            "tokens": encoding.tokens,
            "offsets": encoding.offsets,
            "segments": encoding.segments,
            "cut": encoding.cut,
            "layers": layers,
            "heads": heads,
            "device": result.device,
            "seconds": round(result.seconds, 6),
        }
        if arguments.out is not None:
            path = arguments.out if line is None else arguments.out / f"{line:05}.npz"
            write_trace(path, result)
            answer["out"] = str(path)
        return answer

    if arguments.out is not None and arguments.file is not None:
        arguments.out.mkdir(parents=True, exist_ok=True)
    return answer_texts(arguments, answer, table)


def write_trace(path: Path, result: AttendResult) -> None:
    """Write one pass as an uncompressed ``.npz`` that loads without pickle.

    Arrays: ``texts``; per token ``tokens``, ``ids``, ``offsets`` ``[token, 2]`` (characters),
    ``segments``, ``words`` (-1 for none), ``special``; ``patterns``
    ``[layer, head, query, key]`` and ``positions`` ``[token, width]``, both float32.
    """
    import numpy as np

    encoding = result.encoding
    words = [-1 if word is None else word for word in encoding.words]
    with path.open("wb") as file:  # as named: numpy would add a suffix to a bare path
        np.savez(
            file,
            texts=np.array(encoding.texts),
            tokens=np.array(encoding.tokens),
            ids=np.array(encoding.ids, dtype=np.int32),
            offsets=np.array(encoding.offsets, dtype=np.int32),
            segments=np.array(encoding.segments, dtype=np.int32),
            words=np.array(words, dtype=np.int32),
            special=np.array(encoding.special),
            patterns=result.patterns,
            positions=result.positions,
        )


def table(answer: Answer) -> str:
    """One line a token, then the shape of the patterns."""
    tokens = zip(answer["tokens"], answer["offsets"], answer["segments"], strict=True)
    lines = [
        (str(number), token, f"{start}-{end}", str(segment))
        for number, (token, (start, end), segment) in enumerate(tokens)
    ]
    summary = (
        f"{len(lines)} tokens, {answer['layers']} layers of {answer['heads']} heads,"
        f" {1000 * answer['seconds']:.1f} ms on {answer['device']}"
    )
    if answer["cut"]:
        summary += f"; {answer['cut']} tokens were cut off"
    parts = [rows([("", "token", "characters", "text"), *lines]), summary]
    if "out" in answer:
        parts.append(f"written to {answer['out']}")
    return "\n\n".join(parts)
