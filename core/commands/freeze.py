"""``freeze``: keep what a bundled checkpoint does with one sentence, for the tests."""

from __future__ import annotations

import argparse
import json
from typing import Any


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "freeze",
        allow_abbrev=False,
        help="keep what a bundled checkpoint does with a sentence",
        description=(
            "Write trace.json beside a bundled checkpoint: what it does with one sentence of ours. "
            "The tests fail as soon as it does anything else."
        ),
    )
    parser.add_argument("name", help="bundled checkpoint")
    parser.add_argument("--again", action="store_true", help="overwrite the trace that is there")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Write the trace and say what is in it."""
    from core.checkpoints import bundled, load_checkpoint
    from core.checkpoints.files import TRACE
    from core.frozen import AlreadyFrozenError, NotBundledError, freeze, write_trace

    folders = {one.name: one.folder for one in bundled()}
    if arguments.name not in folders:
        raise NotBundledError(arguments.name, tuple(folders))
    folder = folders[arguments.name]
    if (folder / TRACE).exists() and not arguments.again:
        raise AlreadyFrozenError(arguments.name)
    trace = freeze(load_checkpoint(arguments.name, device="cpu"))
    path = write_trace(trace, folder)
    said = {
        "checkpoint": arguments.name,
        "revision": trace.revision,
        "text": trace.sentence.text,
        "patterns": trace.patterns_hash,
        "predictions": trace.predictions_hash,
        "written": trace.written,
        "out": str(path),
        "bytes": path.stat().st_size,
    }
    if arguments.json:
        print(json.dumps(said, ensure_ascii=False))
    else:
        for name, value in said.items():
            if value is not None:
                print(f"{name:12} {value}")
    return 0
