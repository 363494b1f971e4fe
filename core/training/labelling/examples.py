"""What all made tasks have in common: examples with names of their labels, and two parts."""

from __future__ import annotations

import hashlib
import lzma
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from core.training.corpora import CorpusError

_HELD_OUT = 10  # one text of so many is for measuring


class DataSplit(Enum):
    """Which texts are read. No text is in both the train and the held-out part."""

    ALL = "all"  # for files that are kept for measuring as a whole
    TRAIN = "train"
    HELD_OUT = "held-out"

    def has(self, key: str) -> bool:
        """Whether a text is in this part: by the SHA-256 of its key, one in ten is held out."""
        if self is DataSplit.ALL:
            return True
        digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
        return (int.from_bytes(digest[:8], "big") % _HELD_OUT == 0) is (self is DataSplit.HELD_OUT)


@dataclass(frozen=True)
class Labelled:
    """A task's examples.

    Attributes:
        kind: as ``train multitask`` names it (``core.objectives.labelled_files``).
        labels: names of the classes, by number; none where no class is asked for.
        lines: columns of each example.
    """

    kind: str
    labels: tuple[str, ...]
    lines: Sequence[tuple[str, ...]]


# From files, part, generator of all random draws and the most examples that are wanted.
Labelling = Callable[[Sequence[Path], DataSplit, random.Random, int], Labelled]


def drawn(
    lines: list[tuple[str, ...]], generator: random.Random, most: int
) -> list[tuple[str, ...]]:
    """At most so many, in random order.

    Raises:
        CorpusError: there is none.
    """
    if not lines:
        raise CorpusError("the files hold nothing to make an example of")
    return generator.sample(lines, min(most, len(lines)))


def on_one_line(text: str) -> str:
    """A text without tabs and line breaks: any white space is one space."""
    return " ".join(text.split())


def write_examples(task: Labelled, path: Path) -> None:
    """Write a file for ``train multitask``, compressed if it is named ``.xz``.

    It appears complete or not at all.
    """
    header = ["# labels: " + "\t".join(task.labels)] if task.labels else []
    text = "\n".join([*header, *("\t".join(line) for line in task.lines)]) + "\n"
    raw = text.encode("utf-8", "replace")
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_bytes(lzma.compress(raw, preset=9) if path.suffix == ".xz" else raw)
    fresh.replace(path)
