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
            "with random weights, then the bundled checkpoints. Exit code 1 if any part is off."
        ),
    )
    parser.add_argument("--system", metavar="NAME", help="one system only (default: all)")
    parser.add_argument("--json", action="store_true", help="one JSON object, not a table")


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
    print(json.dumps({"rows": [asdict(row) for row in found]}) if arguments.json else table(found))
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
                    f"{row.tolerance:.0e}",
                    "" if row.agrees else "off",
                )
                for row in found
            ),
        ]
    )
