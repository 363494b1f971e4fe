"""From a system's name to its model."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from core.config import ModelConfig
from core.errors import UnknownSystemError
from core.hooks.point import name_hook_points
from core.models import architectures
from core.models.blocks.weights import Initialises
from core.models.body import Body
from core.models.system import System


def _records() -> Iterator[System]:
    for file in pkgutil.iter_modules(architectures.__path__):
        module = importlib.import_module(f"{architectures.__name__}.{file.name}")
        yield from module.SYSTEMS


SYSTEMS: dict[str, System] = {
    system.name: system for system in sorted(_records(), key=lambda system: system.year)
}
"""Every record that a file in ``architectures`` states, by name, the oldest paper first."""


def build(config: ModelConfig) -> Body:
    """Build a freshly initialised model in training mode, its hook points named.

    Raises:
        UnknownSystemError: no such system.
    """
    model = _assemble(config)
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, Initialises):
                module.initialise(config)
    return model


def build_empty(config: ModelConfig) -> Body:
    """As :func:`build`, on the meta device: shapes without numbers, for weights that are read.

    Raises:
        UnknownSystemError: no such system.
    """
    with torch.device("meta"), _NoFirstNumbers():
        return _assemble(config)


def _assemble(config: ModelConfig) -> Body:
    system = SYSTEMS.get(config.system)
    if system is None:
        raise UnknownSystemError(config.system, tuple(SYSTEMS))
    model = system.model(config)
    name_hook_points(model)
    return model


class _NoFirstNumbers(TorchFunctionMode):
    """Passes over the numbers that torch gives a fresh layer.

    On the meta device there are none, yet torch would import its whole compiler to draw them,
    which takes longer than everything else about opening a checkpoint.
    """

    def __torch_function__(
        self,
        function: Callable[..., Any],
        types: Any,
        arguments: tuple[Any, ...] = (),
        options: dict[str, Any] | None = None,
    ) -> Any:
        options = options or {}
        if getattr(function, "__module__", None) == nn.init.__name__:
            return options["tensor"] if "tensor" in options else arguments[0]
        return function(*arguments, **options)
