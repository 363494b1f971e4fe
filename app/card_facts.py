"""What pages quote of a model's card: its weaknesses in its own words, and its best figures."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.checkpoints.figures import Measured

WEAKNESSES = "## Known weaknesses"
FIGURE = re.compile(r"\s\(`[\w.]+`\)")  # as evaluate prints it


def weaknesses(card: str) -> list[str]:
    """The points of a card's list of weaknesses, each in one line, without names of figures."""
    _before, found, after = card.partition(WEAKNESSES)
    section = after.partition("\n## ")[0] if found else ""
    points = f"\n{section}".split("\n- ")[1:]
    return [" ".join(FIGURE.sub("", point).split()) for point in points]


def headline(measured: Sequence[Measured]) -> str:
    """The figures by which models are compared: `top-1 0.588, top-5 0.762`."""
    return ", ".join(
        f"{label} {_told(run.figure(key))}"
        for run in measured
        for key, label in run.headline.items()
    )


def _told(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"
    return str(value) if isinstance(value, int) else "–"
