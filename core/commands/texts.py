"""What the verbs that read a person's text have in common."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import HeadlightError

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint
    from core.tokenisation import Encoding

Answer = dict[str, Any]


class NotUtf8Error(HeadlightError):
    """A line of a file that is not text in UTF-8."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line} is not UTF-8")
        self.line = line


class PairWithFileError(HeadlightError):
    """A second text was given together with a file of first ones."""

    def __init__(self) -> None:
        super().__init__("--pair goes with --text, not with --file")


def add_text_options(
    parser: argparse.ArgumentParser,
    *,
    checkpoint: str | None = "bert",
    pair: bool = True,
    cut: bool = True,
) -> None:
    """Add ``--checkpoint``, ``--text`` or ``--file``, ``--pair``, ``--cut`` and ``--json``.

    Args:
        parser: of a verb.
        checkpoint: the default; ``None`` where one has to be named.
        pair: whether the verb reads a second text.
        cut: whether it can leave out the end of a text.
    """
    offered = "a bundled checkpoint, a folder, or owner/name on the hub"
    parser.add_argument(
        "--checkpoint",
        default=checkpoint,
        required=checkpoint is None,
        metavar="NAME",
        help=offered if checkpoint is None else f"{offered} (default: %(default)s)",
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", help="the text")
    source.add_argument(
        "--file",
        type=Path,
        metavar="FILE",
        help='one text a line, UTF-8; answers one JSON line each, {"error": ...} for a bad one',
    )
    if pair:
        parser.add_argument("--pair", metavar="TEXT", help="a second text")
    else:
        parser.set_defaults(pair=None)
    if cut:
        parser.add_argument(
            "--cut", action="store_true", help="shorten a text that is too long for the model"
        )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def load(name: str, *, device: str | None = None) -> Checkpoint:
    """Load a checkpoint for the shell, whose user may read any folder and ask the hub.

    A download says how far it is on the standard error.
    """
    from core.checkpoints import LoadPolicy, download, load_checkpoint, needs_download

    here = Path.cwd()
    roots = (here, Path(here.anchor))  # a relative name is looked for in the first
    policy = LoadPolicy(roots=roots, allow_hub=True)
    if needs_download(name, policy):
        for done, total in download(name, policy):
            print(
                f"\rfetching {name}: {done / 1e6:.0f} of {total / 1e6:.0f} MB",
                end="\n" if done == total else "",
                file=sys.stderr,
                flush=True,
            )
    return load_checkpoint(name, device=device, policy=policy)


def answer_texts(
    arguments: argparse.Namespace,
    answer: Callable[[Checkpoint, str, int | None], Answer],
    table: Callable[[Answer], str],
) -> int:
    """Answer the text, or every line of the file, with one load of the model.

    Args:
        arguments: with the options of :func:`add_text_options`.
        answer: from the checkpoint, a text and the number of its line from 1 (``None`` for
            ``--text``) to what is printed as JSON.
        table: the same for a person to read.
    """
    if arguments.file is None:
        result = answer(load(arguments.checkpoint), arguments.text, None)
        print(_as_json(result) if arguments.json else table(result))
        return 0
    if arguments.pair is not None:
        raise PairWithFileError
    with arguments.file.open("rb") as lines:
        checkpoint = load(arguments.checkpoint)
        for number, line in enumerate(lines, start=1):
            try:
                result = answer(checkpoint, _decoded(line, number), number)
            except HeadlightError as error:
                result = {"error": str(error)}
            print(_as_json(result), flush=True)
    return 0


def _as_json(result: Answer) -> str:
    return json.dumps(result, ensure_ascii=False)


def _decoded(line: bytes, number: int) -> str:
    try:
        # Only the first line can have a byte order mark.
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise NotUtf8Error(number) from error
    return text.removesuffix("\n").removesuffix("\r")


def texts_of(texts: tuple[str, ...]) -> Answer:
    """The keys ``text`` and, if there are two, ``pair``."""
    return dict(zip(("text", "pair"), texts, strict=False))


def cut_of(encoding: Encoding) -> Answer:
    """The key ``cut`` with the number of tokens that were cut off, if any were."""
    return {"cut": encoding.cut} if encoding.cut else {}


def rows(table: Sequence[tuple[str, ...]]) -> str:
    """Lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    )
