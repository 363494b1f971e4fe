"""``models``: the bundled checkpoints with their sizes and figures."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from core.commands.texts import rows
from core.errors import HeadlightError

HEADER = "| model | system | parameters | size | held-out figures |"
_CARD = "[`{name}`](../assets/checkpoints/{name}/card.md)"


class NoTableError(HeadlightError):
    """A file without the table that is to be replaced."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path.name} has no table that begins with {HEADER!r}")
        self.path = path


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "models",
        allow_abbrev=False,
        help="list the bundled checkpoints",
        description="List the bundled checkpoints with their sizes and what was measured of them.",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object")
    form.add_argument("--markdown", action="store_true", help="the table of docs/models.md")
    form.add_argument(
        "--into", type=Path, metavar="FILE", help="replace that table in a file, docs/models.md"
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer ``{"models": [{"name", "title", "system", "parameters", "bytes", "figures"}]}``."""
    models = list_models()
    if arguments.json:
        print(json.dumps({"models": models}, ensure_ascii=False))
    elif arguments.into is not None:
        path: Path = arguments.into
        path.write_text(_replaced(path, markdown(models)), encoding="utf-8")
    else:
        print(markdown(models) if arguments.markdown else _table(models))
    return 0


def list_models() -> list[dict[str, Any]]:
    """All bundled checkpoints; figures by their short names, as they are told."""
    from core.checkpoints import bundled, load_checkpoint
    from core.checkpoints.figures import read_figures
    from core.models.registry import SYSTEMS

    found = []
    for entry in bundled():
        model = load_checkpoint(entry.name, device="cpu").model
        figures = {
            label: one.figure(key)
            for one in read_figures(entry.folder)
            for key, label in one.headline.items()
        }
        found.append(
            {
                "name": entry.name,
                "title": entry.title,
                "system": SYSTEMS[entry.system].title,
                "parameters": sum(weights.numel() for weights in model.parameters()),
                "bytes": entry.size_bytes,
                "figures": {label: _told(value) for label, value in figures.items()},
            }
        )
    return found


def markdown(models: list[dict[str, Any]]) -> str:
    """The table of docs/models.md."""
    lines = [HEADER, "| --- | --- | --- | --- | --- |"]
    for one in models:
        cells = (
            _CARD.format(name=one["name"]),
            one["system"],
            _millions(one["parameters"]),
            f"{one['bytes'] / 1e6:.0f} MB",
            ", ".join(f"{label} {value}" for label, value in one["figures"].items()),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _table(models: list[dict[str, Any]]) -> str:
    lines = [("name", "system", "parameters", "size", "held-out figures")]
    for one in models:
        figures = ", ".join(f"{label} {value}" for label, value in one["figures"].items())
        size = f"{one['bytes'] / 1e6:.0f} MB"
        lines.append((one["name"], one["system"], _millions(one["parameters"]), size, figures))
    return rows(lines)


def _millions(count: int) -> str:
    return f"{count / 1e6:.1f} M"


def _told(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else "–"


def _replaced(path: Path, table: str) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    if HEADER not in lines:
        raise NoTableError(path)
    start = end = lines.index(HEADER)
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    return "\n".join([*lines[:start], *table.splitlines(), *lines[end:]]) + "\n"
