"""Verbs that ask a task of a model: their options are the task's own arguments.

Names, types, defaults and help come from the task's signature and docstring. They are read from its
source, because importing a task imports torch, and ``--help`` and mistyped options answer at once.
A verb's module adds what only a shell needs, and says what is printed.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from inspect import isgenerator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.commands.numbers import seed
from core.commands.texts import Answer, add_text_options, answer_texts
from core.commands.writing import Progress

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint

ROOT = Path(__file__).resolve().parents[2]
# How arguments of these types are read from a shell, and what stands for them in the help.
TYPES: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "str": (str, "TEXT"),
    "int": (int, "N"),
    "float": (float, "X"),
}
SEVERAL = re.compile(r"(?:Sequence|Collection|tuple)\[(\w+)(?:, \.\.\.)?\]")


@dataclass(frozen=True)
class Parameter:
    """An argument of a task.

    Attributes:
        name: in the signature.
        type: its annotation, without ``| None``.
        default: ``None`` where it has none.
        help: what the docstring says of it.
    """

    name: str
    type: str
    default: Any
    help: str


@dataclass(frozen=True)
class TaskText:
    """What the source of a task says.

    Attributes:
        summary: first line of the docstring, without its full stop.
        parameters: all but the checkpoint and the text.
    """

    summary: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True)
class Asked:
    """What a verb was asked.

    Attributes:
        arguments: all options.
        checkpoint: the loaded model.
        text: this one.
        line: number of its line in a file, from 1; ``None`` for ``--text``.
    """

    arguments: argparse.Namespace
    checkpoint: Checkpoint
    text: str
    line: int | None

    @property
    def out(self) -> Path | None:
        """Where ``--out`` puts the arrays of this text; ``None`` where they are not asked for."""
        out: Path | None = self.arguments.out
        return out if out is None or self.line is None else out / f"{self.line:05}.npz"


def _nothing(_parser: argparse.ArgumentParser) -> None:
    pass


def _as_told(_arguments: argparse.Namespace) -> None:
    pass


def _no_more(_asked: Asked) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class TaskVerb:
    """A verb that asks a task.

    Attributes:
        task: where it is, ``core.tasks.fill_mask:fill_mask``.
        checkpoint: the default; ``None`` where no bundled one would do.
        answer: from the result, the last one of a task that answers step by step, to what is
            printed as JSON.
        table: the same for a person to read.
        flags: documented names of options that are called otherwise than their argument.
        types: how arguments are read that are no plain strings and numbers, with their metavar.
        left_out: arguments that a shell does not offer.
        note: what only a shell's user has to know, after the summary.
        options: adds what only a shell offers.
        check: refuses options that contradict each other, before the model is loaded.
        values: arguments of the task that follow from the model, the line or several options.
        told: of a task that answers step by step: the unit, and from a step what is done, what is
            wanted, and whether it is over.
        with_out: the task that is asked in its place where ``--out`` is given.
    """

    task: str
    checkpoint: str | None
    answer: Callable[[Any, Asked], Answer]
    table: Callable[[Answer], str]
    flags: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, tuple[Callable[[str], Any], str]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    note: str = ""
    options: Callable[[argparse.ArgumentParser], None] = _nothing
    check: Callable[[argparse.Namespace], None] = _as_told
    values: Callable[[Asked], dict[str, Any]] = _no_more
    told: tuple[str, Callable[[Any, argparse.Namespace], tuple[int, int, bool]]] | None = None
    with_out: str = ""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The arguments that are options."""
        found = read_task(self.task).parameters
        return tuple(one for one in found if one.name not in self.left_out)

    def add_parser(self, subparsers: Any, name: str) -> None:
        """Add the verb, called so."""
        summary = read_task(self.task).summary
        parser = subparsers.add_parser(
            name,
            allow_abbrev=False,
            help=summary[0].lower() + summary[1:],
            description=f"{summary}. {self.note}".strip().replace("%", "%%"),
        )
        names = {one.name for one in self.parameters}
        add_text_options(
            parser, checkpoint=self.checkpoint, pair="pair" in names, cut="cut" in names
        )
        for one in self.parameters:
            if one.name not in ("pair", "cut"):
                self._add(parser, one)
        self.options(parser)

    def run(self, arguments: argparse.Namespace) -> int:
        """Answer the text, or every line of the file."""
        self.check(arguments)

        def answer(checkpoint: Checkpoint, text: str, line: int | None) -> Answer:
            asked = Asked(arguments, checkpoint, text, line)
            values = {one.name: getattr(arguments, one.name) for one in self.parameters}
            values |= {"text": text, **self.values(asked)}
            path = self.with_out if self.with_out and asked.out is not None else self.task
            module, _, name = path.partition(":")
            result = getattr(import_module(module), name)(checkpoint, **values)
            return self.answer(self._last(result, arguments), asked)

        return answer_texts(arguments, answer, self.table)

    def _last(self, result: Any, arguments: argparse.Namespace) -> Any:
        if self.told is None or not isgenerator(result):
            return result
        unit, told = self.told
        progress, last = Progress(unit, wanted=arguments.progress), None
        for last in result:
            done, wanted, over = told(last, arguments)
            progress.tell(done, wanted, over=over)
        return last

    def _add(self, parser: argparse.ArgumentParser, one: Parameter) -> None:
        flag = "--" + self.flags.get(one.name, one.name).replace("_", "-")
        several = SEVERAL.fullmatch(one.type)
        kind = several[1] if several else one.type
        if one.name not in self.types and kind not in TYPES:
            raise TypeError(f"{self.task}: no option can be made of {one.name}: {one.type}")
        read, metavar = self.types.get(one.name) or TYPES[kind]
        shown = one.help if several or one.default is None else f"{one.help} (default: %(default)s)"
        parser.add_argument(
            flag,
            dest=one.name,
            type=seed if one.name == "seed" else read,
            metavar=metavar,
            default=[] if several else one.default,
            action="append" if several else "store",
            help=f"{shown}; repeatable" if several else shown,
        )


@cache
def read_task(task: str) -> TaskText:
    """What the source of a task says of it."""
    module, _, name = task.partition(":")
    tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    (function,) = (
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name
    )
    doc = ast.get_docstring(function) or ""
    helps = _helps(doc, constants)
    given = function.args
    defaults = [None] * (len(given.args) - len(given.defaults)) + [*given.defaults]
    both = [*zip(given.args, defaults, strict=True)]
    both += zip(given.kwonlyargs, given.kw_defaults, strict=True)
    parameters = tuple(
        Parameter(
            argument.arg,
            ast.unparse(argument.annotation or ast.Constant("")).removesuffix(" | None"),
            _value(default, constants),
            helps.get(argument.arg, ""),
        )
        for argument, default in both
        if argument.arg not in ("checkpoint", "text")
    )
    return TaskText(_plain(doc.partition("\n\n")[0], constants).removesuffix("."), parameters)


def _value(default: ast.expr | None, constants: Mapping[str, Any]) -> Any:
    if isinstance(default, ast.Constant):
        return default.value
    return constants.get(default.id) if isinstance(default, ast.Name) else None


def _helps(doc: str, constants: Mapping[str, Any]) -> dict[str, str]:
    """What the section of arguments says of each."""
    _, _, section = doc.partition("Args:\n")
    section = section.partition("\n\n")[0]
    found = {}
    for entry in re.split(r"\n(?=    \w)", "\n" + section):
        names, _, text = entry.partition(": ")
        for name in names.split(","):
            found[name.strip()] = _plain(text, constants).removesuffix(".")
    return found


def _plain(text: str, constants: Mapping[str, Any]) -> str:
    """Without the marks of a docstring, and with numbers in the place of their names."""
    text = " ".join(text.split())
    text = re.sub(r":\w+:`([^`]*)`", lambda found: found[1].rpartition(".")[2], text)
    text = re.sub(r"``([^`]*)``", lambda found: str(constants.get(found[1], found[1])), text)
    return text.replace("%", "%%")
