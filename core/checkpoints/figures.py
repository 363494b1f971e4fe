"""What was measured of a checkpoint, and what its card says about it.

``figures.json`` holds what ``python -m core evaluate NAME ... --json`` printed, with its command
and, for the list of models, short names of its best figures::

    {"command": "python -m core evaluate bert --text heldout.txt.xz --json",
     "headline": {"top1": "top-1", "top5": "top-5"},
     "figures": {"checkpoint": "bert", "files": {"heldout.txt.xz": "dc16..."}, "top1": 0.588, ...}}

or a list of these, for a checkpoint that was measured in several ways. ``"beside"`` may hold, by
what makes them different, the same figures of models that did not come along, and a ``"note"`` on
each. In the card, under
``## Held-out figures``, a table has a column for each of them in the same order; a row says in its
first cell which figure it is: ``hidden pieces, first guess right (`top1`)``, or of a group of
figures which one, as in ``bleu_de_by_words.1-4``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.checkpoints.files import FIGURES
from core.hugging_face.errors import DamagedFileError

HEADING = "## Held-out figures"

_KEY = re.compile(r"`([A-Za-z0-9_]+(?:\.[A-Za-z0-9_+-]+)*)`")
_NUMBER = re.compile(r"(-?[0-9]+)(?:\.([0-9]+))?( ?%)?")
_NONE = ("", "-", "–")


@dataclass(frozen=True)
class Measured:
    """One run of ``evaluate``.

    Attributes:
        command: as typed, with files by their names.
        figures: what it printed, by name.
        headline: short names of the figures by which models are compared.
        beside: figures of models that are not bundled, by what makes them different.
    """

    command: str
    figures: Mapping[str, Any]
    headline: Mapping[str, str]
    beside: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def files(self) -> Mapping[str, str]:
        """SHA-256 of every file that was read, by name."""
        files: Mapping[str, str] = self.figures.get("files", {})
        return files

    def figure(self, key: str) -> object:
        """One figure, or of a group of figures one: ``auc``, ``temperature_3.auc``; else None."""
        return _figure(self.figures, key)


def read_figures(folder: Path) -> tuple[Measured, ...]:
    """What was measured of a checkpoint; nothing if that is not written down.

    Raises:
        DamagedFileError: the file is something else.
    """
    path = folder / FIGURES
    if not path.is_file():
        return ()
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        runs = content if isinstance(content, list) else [content]
        return tuple(
            Measured(
                str(one["command"]),
                dict(one["figures"]),
                dict(one.get("headline", {})),
                {name: dict(figures) for name, figures in one.get("beside", {}).items()},
            )
            for one in runs
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedFileError(FIGURES, "it is not what evaluate printed") from error


def figures_of_card(card: str) -> dict[str, tuple[str, ...]]:
    """The table of a card: what its cells say of every figure."""
    section = card.partition(HEADING)[2].partition("\n## ")[0]
    found = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        key = _KEY.search(cells[0])
        if line.lstrip().startswith("|") and key is not None:
            found[key[1]] = tuple(cells[1:])
    return found


def wrong_in_card(card: str, measured: Sequence[Measured]) -> tuple[str, ...]:
    """Where a card and what was measured contradict each other, a line each."""
    problems = []
    table = figures_of_card(card)
    if not table:
        problems.append(f"no row under {HEADING!r} names a figure in backticks")
    for key, cells in table.items():
        if len(cells) != len(measured):
            problems.append(f"{key}: {len(cells)} columns for {len(measured)} measurements")
            continue
        for cell, one in zip(cells, measured, strict=True):
            value = one.figure(key)
            if not says(cell, value):
                problems.append(f"{key}: the card says {cell!r}, measured is {value!r}")
    for one in measured:
        for name, digest in one.files.items():
            missing = [part for part in (name, digest) if part not in card]
            problems += [f"{part} is not in the card" for part in missing]
    return tuple(problems)


def _figure(figures: Mapping[str, Any], key: str) -> object:
    name, _, rest = key.partition(".")
    value = figures.get(name)
    return _figure(value, rest) if rest and isinstance(value, Mapping) else value


def says(cell: str, value: object) -> bool:
    """Whether a cell gives a number, rounded as it is written.

    >>> says("0.588", 0.58817), says("58.8 %", 0.58817), says("21,674", 21674), says("–", None)
    (True, True, True, True)
    >>> says("0.589", 0.58817), says("0.59", None), says("about 3", 3)
    (False, False, False)
    """
    if value is None:
        return cell in _NONE
    found = _NUMBER.fullmatch(cell.replace(",", "").strip("*"))
    if found is None or isinstance(value, bool) or not isinstance(value, int | float):
        return False
    whole, decimals, percent = found[1], found[2] or "", found[3]
    written = float(f"{whole}.{decimals or '0'}")
    exact = 100 * value if percent else value
    return abs(written - exact) <= 0.5 * 10.0 ** -len(decimals) + 1e-9
