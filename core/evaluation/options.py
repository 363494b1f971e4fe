"""What is measured, and on what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.bounds import require

Figures = dict[str, Any]  # plain values by name: numbers, words, or lists and tables of them


@dataclass(frozen=True)
class Options:
    """How a checkpoint is measured.

    Attributes:
        text: held-out text, plain or xz, a blank line between documents; or ``None``.
        pairs: pairs of texts by the language of the second one.
        tasks: labelled examples by the name of the task.
        length: tokens an input.
        windows: inputs of running text that are read at most.
        judged: sentence pairs, or examples of each task, that are judged at most; 0 for none.
        seed: of all random draws.
        generator: the checkpoint that replaces tokens, where one is needed.
        context: tokens that a causal model reads at once; as many as it can for ``None``.

    Raises:
        OutOfBoundsError: a number out of its range.
    """

    text: Path | None = None
    pairs: Mapping[str, Path] = field(default_factory=dict)
    tasks: Mapping[str, Path] = field(default_factory=dict)
    length: int = 128
    windows: int = 2000
    judged: int = 1000
    seed: int = 0
    generator: str | None = None
    context: int | None = None

    def __post_init__(self) -> None:
        require(
            windows=self.windows,
            judged=self.judged,
            evaluated_length=self.length,
            context=self.context,
        )
