"""Labelled examples from files: UTF-8, plain or xz, one example a line, tabs between its columns.

====================  ===========================================  ===============================
kind                  columns                                      what is learnt
====================  ===========================================  ===============================
``single``            text, class                                  the class of a text
``pair``              text, text, class                            the class of a pair
``similarity``        text, text, score                            how alike the two are
``ranking``           query, right answer, another, ...            which answer is the right one
====================  ===========================================  ===============================

A class is a whole number from 0, a score any number. Lines with nothing in them are skipped. A text
too long for the model loses its end; of a pair, the longer one does. The first line may name the
classes, in the order of their numbers: ``# labels:`` and the names, with tabs between.
"""

from __future__ import annotations

import lzma
import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import count
from pathlib import Path

from core.errors import ConfigError, HeadlightError
from core.task_config import TaskConfig, TaskKind
from core.tokenisation import Tokenizer
from core.training.corpora import CorpusError

MOST_TASKS = 100  # as many as a checkpoint names
MOST_EXAMPLES = 1_000_000  # of a task
MOST_CLASSES = 1000
MOST_CANDIDATES = 64  # of a query
LONGEST_LINE = 1_000_000  # bytes
SHORTEST = 8  # tokens; below, a pair has no room beside its special tokens
_LARGEST_SCORE = 1e6
_RESERVED = ("loss", "masked")  # the sum of all losses, and hidden words beside the tasks
_HEADER = "# labels:"


class FileKind(Enum):
    """What a file's lines hold; see the table above."""

    SINGLE = "single"
    PAIR = "pair"
    SIMILARITY = "similarity"
    RANKING = "ranking"


_TASK_KINDS = {
    FileKind.SINGLE: TaskKind.CLASSES,
    FileKind.PAIR: TaskKind.ANSWER_NETWORK,
    FileKind.SIMILARITY: TaskKind.SIMILARITY,
    FileKind.RANKING: TaskKind.RANKING,
}


class LabelledLineError(CorpusError):
    """A line that is no example of its task, with its file and its number from 1."""

    def __init__(self, path: Path, line: int, reason: str) -> None:
        super().__init__(f"line {line} of {path}: {reason}")
        self.path = path
        self.line = line
        self.reason = reason


@dataclass(frozen=True)
class TaskFile:
    """Where the examples of a task are.

    Attributes:
        name: of the task.
        kind: of the file.
        path: of the file.
    """

    name: str
    kind: FileKind
    path: Path

    @classmethod
    def parse(cls, text: str) -> TaskFile:
        """Read ``NAME:KIND:FILE``.

        Raises:
            ConfigError: it is something else.
        """
        parts = text.split(":", 2)
        kinds = [kind.value for kind in FileKind]
        if len(parts) != 3 or parts[1] not in kinds or not parts[2]:
            raise ConfigError(
                f"a task is NAME:KIND:FILE with one of the kinds {', '.join(kinds)}: {text!r}"
            )
        return cls(parts[0], FileKind(parts[1]), Path(parts[2]))


@dataclass(frozen=True)
class Row:
    """One model input.

    Attributes:
        ids: of its tokens, special ones included, as 32-bit numbers.
        first: how many belong to the first text.
    """

    ids: array[int]
    first: int


@dataclass(frozen=True)
class Example:
    """What is read, and what is right.

    Attributes:
        rows: one input; of a query one for each candidate, the right one first.
        label: a class or a score; 0 for a query.
    """

    rows: tuple[Row, ...]
    label: float


@dataclass(frozen=True)
class LabelledTask:
    """A task with its examples.

    Attributes:
        config: of the task.
        examples: at least one.
    """

    config: TaskConfig
    examples: tuple[Example, ...]


def read_tasks(
    files: Sequence[TaskFile],
    tokenizer: Tokenizer,
    *,
    limit: int,
    known: Sequence[TaskConfig] = (),
) -> tuple[LabelledTask, ...]:
    """All tasks' examples.

    A task has as many classes as the file names, or one more than the largest label and at least 2.

    Args:
        files: one a task.
        tokenizer: of the texts.
        limit: tokens of an input, special ones included.
        known: tasks that the model has already: one of the same name goes on as it is.

    Raises:
        ConfigError: two tasks have one name, there are too many, a name cannot be one, a known
            task is of another kind, has too few classes or other names for them, or inputs are too
            short for a pair.
        CorpusError: a file cannot be read or holds no example, or, as
            :class:`LabelledLineError`, a line is none.
    """
    names = [file.name for file in files]
    if len(set(names)) < len(names):
        raise ConfigError(f"two tasks have one name: {', '.join(names)}")
    together = len({*names, *(task.name for task in known)})
    if together > MOST_TASKS:
        raise ConfigError(f"a model learns at most {MOST_TASKS} tasks, not {together}")
    if limit < SHORTEST:
        raise ConfigError(f"labelled texts need at least {SHORTEST} tokens, not {limit}")
    before = {task.name: task for task in known}
    return tuple(_read(file, tokenizer, limit, before.get(file.name)) for file in files)


def _read(
    file: TaskFile, tokenizer: Tokenizer, limit: int, known: TaskConfig | None
) -> LabelledTask:
    if file.name in _RESERVED:
        raise ConfigError(f"no task can be named {file.name!r}: another loss has that name")
    config = TaskConfig(file.name, _TASK_KINDS[file.kind])  # refuses a name before a long read
    examples: list[Example] = []
    labels: tuple[str, ...] = ()
    for number, line in _lines(file.path):
        if len(examples) == MOST_EXAMPLES:
            raise CorpusError(f"{file.path} has more than {MOST_EXAMPLES:,} examples")
        try:
            if number == 1 and line.startswith(_HEADER):
                labels = tuple(map(str.strip, line.removeprefix(_HEADER).split("\t")))
                config = replace(config, classes=len(labels), labels=labels)
                continue
            examples.append(_example(file.kind, line.split("\t"), tokenizer, limit))
            if labels and examples[-1].label >= len(labels):
                raise CorpusError(f"a class without a name: the first line has {len(labels)}")
        except HeadlightError as error:  # what the tokenizer says of a text, too
            raise LabelledLineError(file.path, number, str(error)) from error
    if not examples:
        raise CorpusError(f"{file.path} holds no example")
    if file.kind in (FileKind.SINGLE, FileKind.PAIR) and not labels:
        classes = max(2, 1 + int(max(example.label for example in examples)))
        config = replace(config, classes=classes)
    if known is not None:
        _check_known(known, config, file.path)
    return LabelledTask(known or config, tuple(examples))


def _check_known(known: TaskConfig, found: TaskConfig, path: Path) -> None:
    if known.kind is not found.kind or known.classes < found.classes:
        raise ConfigError(
            f"the model knows the task {known.name!r} as {known.kind.value} of {known.classes}"
            f" classes; {path} is {found.kind.value} of {found.classes}"
        )
    if found.labels and found.labels != known.labels:
        raise ConfigError(
            f"the model's classes of the task {known.name!r} are named"
            f" {', '.join(known.labels) or 'in no way'}; in {path}, {', '.join(found.labels)}"
        )


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
            for number in count(1):
                raw = file.readline(LONGEST_LINE + 1)
                if not raw:
                    return
                if len(raw) > LONGEST_LINE:
                    raise LabelledLineError(path, number, f"more than {LONGEST_LINE:,} bytes")
                try:
                    line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                except UnicodeDecodeError as error:
                    raise LabelledLineError(path, number, "it is not UTF-8") from error
                if line.strip():
                    yield number, line
    except (lzma.LZMAError, EOFError) as error:
        raise CorpusError(f"cannot read {path}: the compressed file is damaged") from error
    except OSError as error:
        raise CorpusError(f"cannot read {path}: {error.strerror or error}") from error


def _example(kind: FileKind, columns: Sequence[str], tokenizer: Tokenizer, limit: int) -> Example:
    def row(text: str, pair: str | None = None) -> Row:
        read = tokenizer.encode(text, pair, limit=limit, cut=True)
        return Row(array("i", read.ids), read.segments.count(0))

    if kind is FileKind.RANKING:
        query, *candidates = columns
        if not 2 <= len(candidates) <= MOST_CANDIDATES:
            raise CorpusError(
                f"a query has 2 to {MOST_CANDIDATES} candidates after it, not {len(candidates)}"
            )
        return Example(tuple(row(query, one) for one in candidates), 0.0)
    wanted = 2 if kind is FileKind.SINGLE else 3
    if len(columns) != wanted:
        raise CorpusError(f"{wanted} columns with tabs between are needed, not {len(columns)}")
    *texts, label = columns
    read = _score(label) if kind is FileKind.SIMILARITY else _class(label)
    return Example((row(*texts),), read)


def _class(text: str) -> float:
    text = text.strip()
    if not (text.isascii() and text.isdecimal() and len(text) < 9 and int(text) < MOST_CLASSES):
        raise CorpusError(f"a class is a whole number from 0 to {MOST_CLASSES - 1}, not {text!r}")
    return float(int(text))


def _score(text: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not abs(score) <= _LARGEST_SCORE:
        raise CorpusError(f"a score is a number of at most {_LARGEST_SCORE:,.0f}, not {text!r}")
    return score
