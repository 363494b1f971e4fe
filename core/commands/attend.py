"""``attend``: what every head of every layer attends to."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from core.commands.task_verbs import Asked, TaskVerb
from core.commands.texts import Answer, rows, texts_of
from core.errors import ConfigError

if TYPE_CHECKING:
    from core.tasks import AttendResult

    Order = tuple[int, ...] | Literal["random"]


def add_out(parser: argparse.ArgumentParser) -> None:
    """Add ``--out``."""
    parser.add_argument(
        "--out",
        type=Path,
        metavar="PATH",
        help="the attention as an .npz file (patterns [layer, head, query, key] and more);"
        " for --file a folder, line 7 becomes 00007.npz in it",
    )


def make_out(arguments: argparse.Namespace) -> None:
    """Make the folder for the arrays of a file's lines."""
    if arguments.out is not None and arguments.file is not None:
        arguments.out.mkdir(parents=True, exist_ok=True)


def write_out(path: Path, result: AttendResult, asked: Asked) -> None:
    """Write the arrays of a text."""
    from core.tasks.npz import write_npz

    checkpoint = asked.checkpoint
    write_npz(path, result, checkpoint=checkpoint.name, revision=checkpoint.revision)


def check(arguments: argparse.Namespace) -> None:
    """Refuse one target for a file of texts."""
    if arguments.file is not None and arguments.target is not None:
        raise ConfigError("--target goes with --text, not with --file")
    make_out(arguments)


def _order(text: str) -> Order:
    if text == "random":
        return "random"
    numbers = text.split(",")
    if all(number.isascii() and number.isdecimal() and len(number) < 10 for number in numbers):
        return tuple(map(int, numbers))
    raise argparse.ArgumentTypeError(f"an order is numbers such as 0,3,1,2, or random, not {text}")


def answer(result: AttendResult, asked: Asked) -> Answer:
    """The tokens and the shapes of all patterns; the arrays are written where asked."""
    encoding, target = result.encoding, result.target
    layers, heads = result.patterns.shape[:2]
    found = texts_of(encoding.texts) | {
        "tokens": encoding.tokens,
        "offsets": encoding.offsets,
        "segments": encoding.segments,
        "cut": encoding.cut,
        "layers": layers,
        "heads": heads,
        "device": result.device,
        "seconds": round(result.seconds, 6),
        "maps": {
            one.name: {
                "shape": one.patterns.shape,
                "masked_rows": one.masked_rows.nonzero()[0].tolist(),
            }
            for one in result.maps
        },
    }
    if target is not None:
        found["target"] = {
            "text": target.texts[0],
            "tokens": target.tokens,
            "offsets": target.offsets,
            "cut": target.cut,
            "written": result.written,
            "ended": result.ended,
        }
    if result.order is not None:
        found["order"] = result.order
    if asked.out is not None:
        write_out(asked.out, result, asked)
        found["out"] = str(asked.out)
    return found


def table(answer: Answer) -> str:
    """One line a token, then the shapes of the patterns."""
    tokens = zip(answer["tokens"], answer["offsets"], answer["segments"], strict=True)
    lines = [
        (str(number), token, f"{start}-{end}", str(segment))
        for number, (token, (start, end), segment) in enumerate(tokens)
    ]
    parts = [rows([("", "token", "characters", "text"), *lines])]
    if "target" in answer:
        target = answer["target"]
        decoded = zip(target["tokens"], target["offsets"], strict=True)
        read = [
            (str(n), token, f"{start}-{end}") for n, (token, (start, end)) in enumerate(decoded)
        ]
        heading = "written" if target["written"] else "target"
        parts.append(rows([("", heading, "characters"), *read]))
    summary = (
        f"{len(lines)} tokens, {answer['layers']} layers of {answer['heads']} heads,"
        f" {1000 * answer['seconds']:.1f} ms on {answer['device']}"
    )
    if answer["cut"]:
        summary += f"; {answer['cut']} tokens were cut off"
    parts.append(summary)
    parts.append(rows([_shape(name, one) for name, one in answer["maps"].items()]))
    if "out" in answer:
        parts.append(f"written to {answer['out']}")
    return "\n\n".join(parts)


def _shape(name: str, one: Answer) -> tuple[str, ...]:
    layers, heads, queries, keys = one["shape"]
    blind = one["masked_rows"]
    note = f"tokens that see nothing: {', '.join(map(str, blind))}" if blind else ""
    return name, f"{layers} x {heads} maps", f"{queries} queries x {keys} keys", note


VERB = TaskVerb(
    "core.tasks.attend:attend",
    "bert",
    answer,
    table,
    flags={"language": "to"},
    types={"order": (_order, "N,N,..."), "language": (str, "LANGUAGE")},
    left_out=("logits",),
    values=lambda asked: {"logits": asked.out is not None},
    options=add_out,
    check=check,
)
