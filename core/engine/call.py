"""A question to a model: a task with its arguments, as plain values.

Two spellings of one question are equal, so a call is a key of caches. It names its task by import
path and holds nothing but plain values, so that another process can run it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from inspect import Signature, signature
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from core.checkpoints import Checkpoint
from core.engine.errors import CallError
from core.tokenisation import Encoding

P = ParamSpec("P")
ResultT = TypeVar("ResultT")
ResultT_co = TypeVar("ResultT_co", covariant=True)

_PLAIN = frozenset({str, int, float, bool, type(None)})


@dataclass(frozen=True)
class Call(Generic[ResultT_co]):
    """A task and its arguments; made by :func:`call`.

    Attributes:
        task: import path of the task, ``core.tasks.attend:attend``. It is the kind of the call.
        checkpoint: name of the model to run on.
        arguments: every argument by name, defaults too, in the order of the signature.
    """

    task: str
    checkpoint: str
    arguments: tuple[tuple[str, Any], ...]

    def __getitem__(self, name: str) -> Any:
        """The argument of this name; ``KeyError`` if the task has none."""
        return dict(self.arguments)[name]

    def changed(self, **arguments: Any) -> Call[ResultT_co]:
        """The same question with other arguments, checked as in :func:`call`."""
        task = resolve(self.task)
        return call(task, self.checkpoint, **{**dict(self.arguments), **arguments})

    def run(self, checkpoint: Checkpoint) -> ResultT_co:
        """Compute the answer; called by an engine, where the model is."""
        given = _signature(resolve(self.task)).bind_partial()
        given.arguments.update(self.arguments)
        return resolve(self.task)(checkpoint, *given.args, **given.kwargs)

    def to_json(self) -> str:
        """The call as text; :meth:`from_json` reads it in another process."""
        values = {name: _to_json(value) for name, value in self.arguments}
        return json.dumps({"task": self.task, "checkpoint": self.checkpoint, "arguments": values})

    @staticmethod
    def from_json(text: str) -> Call[Any]:
        """Read a call of our own back. It names code to run: never read one from anyone else.

        Raises:
            CallError: it names no task, or does not fit its signature.
        """
        read = json.loads(text)
        arguments = {name: _from_json(value) for name, value in read["arguments"].items()}
        return call(resolve(read["task"]), read["checkpoint"], **arguments)


def call(
    task: Callable[Concatenate[Checkpoint, P], ResultT],
    checkpoint: str,
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> Call[ResultT]:
    """Ask a task of a model.

    Args:
        task: a function of a module whose first argument is a loaded checkpoint.
        checkpoint: the model's name, by which an engine loads it.
        args, kwargs: the task's other arguments: strings, numbers, booleans, ``None``, enums,
            frozen dataclasses, and sequences or sets of them, which become tuples and frozen sets.

    Raises:
        CallError: the arguments do not fit the task, one of them is no plain value (an array, a
            tensor, an encoding), or the task cannot be found by its name.
    """
    path = path_of(task)
    try:
        bound = _signature(task).bind(*args, **kwargs)
    except TypeError as error:
        raise CallError(f"{path}: {error}") from None
    bound.apply_defaults()
    found = ((name, _plain(value, f"{path}: {name}")) for name, value in bound.arguments.items())
    return Call(path, checkpoint, tuple(found))


def path_of(named: Any) -> str:
    """The import path of a function or class, which leads back to it.

    Raises:
        CallError: it does not, because it is local, or hidden behind another of its name.
    """
    module, name = getattr(named, "__module__", None), getattr(named, "__qualname__", None)
    path = f"{module}:{name}"
    if resolve(path) is not named:
        raise CallError(f"{path} names another thing than {named!r}")
    return path


@cache
def resolve(path: str) -> Any:
    """What an import path ``module:name`` leads to.

    Raises:
        CallError: nowhere.
    """
    module, _, name = path.partition(":")
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError):
        raise CallError(f"nothing can be imported by the name {path}") from None
    return found


@cache
def _signature(task: Callable[..., Any]) -> Signature:
    """That of a task without the checkpoint, its first argument."""
    whole = signature(task)
    _checkpoint, *rest = whole.parameters.values()
    return whole.replace(parameters=rest)


def _plain(value: Any, where: str) -> Any:
    kind = type(value)
    if kind in _PLAIN or isinstance(value, Enum):
        return value
    if kind in (list, tuple, range):
        return tuple(_plain(one, where) for one in value)
    if kind in (set, frozenset):
        return frozenset(_plain(one, where) for one in value)
    if is_dataclass(kind) and not isinstance(value, Encoding):
        parameters = kind.__dataclass_params__  # type: ignore[attr-defined]
        whole = all(
            _plain(getattr(value, one.name), where) == getattr(value, one.name)
            for one in fields(value)
        )
        if parameters.frozen and parameters.eq and whole:
            return value
    raise CallError(f"{where} must be a plain value, not {kind.__module__}.{kind.__qualname__}")


def _to_json(value: Any) -> Any:
    if isinstance(value, Enum):
        return {"enum": path_of(type(value)), "name": value.name}
    if isinstance(value, tuple):
        return [_to_json(one) for one in value]
    if isinstance(value, frozenset):
        return {"set": sorted(map(_to_json, value), key=repr)}
    if is_dataclass(value):
        parts = {one.name: _to_json(getattr(value, one.name)) for one in fields(value)}
        return {"class": path_of(type(value)), "fields": parts}
    return value


def _from_json(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_from_json(one) for one in value)
    if not isinstance(value, Mapping):
        return value
    if "enum" in value:
        return resolve(value["enum"])[value["name"]]
    if "set" in value:
        return frozenset(_from_json(one) for one in value["set"])
    parts = {name: _from_json(one) for name, one in value["fields"].items()}
    return resolve(value["class"])(**parts)
