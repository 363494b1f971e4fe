"""``parity``: our models against Hugging Face's, part by part."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.commands.texts import rows

if TYPE_CHECKING:
    from core.parity import Row

DISAGREES = 1


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "parity",
        allow_abbrev=False,
        help="compare with Hugging Face's models",
        description=(
            "Compare our models with those of the package transformers, part by part: tiny ones "
            "with random weights, then the bundled checkpoints, whose results and patterns may "
            "differ by 1e-4, or by 2.5e-5 of the largest number if that exceeds 4. Exit code 1 if "
            "any part is off."
        ),
    )
    parser.add_argument("--system", metavar="NAME", help="one system only (default: all)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object, not a table")
    form.add_argument(
        "--markdown", action="store_true", help="a line a system with its largest differences"
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer ``{"rows": [{"system", "part", "length", "difference", "tolerance"}]}``."""
    from core.parity import COMPARISONS, compare_bundled, compare_tiny, comparison_of

    chosen = [comparison_of(arguments.system)] if arguments.system else COMPARISONS.values()
    found = [
        row
        for comparison in chosen
        for rows_of in (compare_tiny, compare_bundled)
        for row in rows_of(comparison)
    ]
    if arguments.json:
        print(json.dumps({"rows": [asdict(row) for row in found]}))
    else:
        print(markdown(found) if arguments.markdown else table(found))
    return 0 if all(row.agrees for row in found) else DISAGREES


def table(found: Sequence[Row]) -> str:
    """A line a row; those that are off are marked."""
    return rows(
        [
            ("system", "part", "tokens", "difference", "tolerance", ""),
            *(
                (
                    row.system,
                    row.part,
                    "" if row.length is None else str(row.length),
                    f"{row.difference:.1e}",
                    f"{row.tolerance:.1e}",
                    "" if row.agrees else "off",
                )
                for row in found
            ),
        ]
    )


def markdown(found: Sequence[Row]) -> str:
    """The largest difference of each kind, a line a system: what README carries."""
    kinds = ("patterns", "everything else", "written back", "bundled checkpoint")
    worst: dict[str, dict[str, float]] = {}
    for row in found:
        of_system = worst.setdefault(row.system, {})
        of_system[_kind(row)] = max(of_system.get(_kind(row), 0.0), row.difference)
    lines = [f"| system | {' | '.join(kinds)} |", "| --- " * (len(kinds) + 1) + "|"]
    for system, differences in worst.items():
        cells = (f"{differences[kind]:.1e}" if kind in differences else "" for kind in kinds)
        lines.append(f"| {system} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _kind(row: Row) -> str:
    from core.parity.compare import BUNDLED

    if row.part.startswith(BUNDLED):
        return BUNDLED
    if row.part == "export back":
        return "written back"
    return "patterns" if row.part.endswith("pattern") else "everything else"
