"""``show``: what the files of a checkpoint hold."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from core.commands.texts import load, rows

if TYPE_CHECKING:
    from core.tasks.describe import Description


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "show",
        allow_abbrev=False,
        help="say what a checkpoint is made of",
        description="Open a checkpoint and say what it is made of, what it predicts, and which of"
        " its tensors are not read.",
    )
    parser.add_argument(
        "name", metavar="NAME", help="a bundled checkpoint, a folder, or owner/name on the hub"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Answer ``{"system", "heads", "labels", "unused", "parameters", ...}``."""
    from core.tasks.describe import describe

    found = _as_json(describe(load(arguments.name, device="cpu")))
    if arguments.json:
        print(json.dumps(found, ensure_ascii=False))
        return 0
    lines = [(name, _told(value)) for name, value in found.items() if value not in ([], None)]
    print(rows(lines))
    return 0


def _as_json(found: Description) -> dict[str, Any]:
    return {
        "system": found.system,
        "sides": [vars(side) for side in found.sides],
        "heads": [head.value for head in found.heads],
        "labels": list(found.labels),
        "unused": list(found.unused),
        "parameters": found.parameters,
        "rows": found.vocabulary,
        "pieces": found.pieces,
        "positions": found.positions,
        "tokenizer": list(found.tokenizer_files),
        "stored_as": list(found.stored_as),
        "bytes": found.size_bytes,
        "revision": found.revision,
    }


def _told(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name} {one}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(_told, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
