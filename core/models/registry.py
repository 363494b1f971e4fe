"""From a system's name to its model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from core.config import ModelConfig
from core.errors import UnknownSystemError
from core.hooks.point import name_hook_points
from core.models.architectures.bert import Bert


@dataclass(frozen=True)
class System:
    """One row of the table of systems.

    Attributes:
        name: as in ``ModelConfig.system``.
        title: as a person reads it.
        model: builds the module from a configuration.
    """

    name: str
    title: str
    model: Callable[[ModelConfig], nn.Module]


SYSTEMS: dict[str, System] = {system.name: system for system in (System("bert", "BERT", Bert),)}


def build(config: ModelConfig) -> nn.Module:
    """Build a freshly initialised model in training mode, its hook points named.

    Raises:
        UnknownSystemError: no such system.
    """
    system = SYSTEMS.get(config.system)
    if system is None:
        raise UnknownSystemError(config.system, tuple(SYSTEMS))
    model = system.model(config)
    initialise(model, config.initial_deviation)
    name_hook_points(model)
    return model


@torch.no_grad()
def initialise(model: nn.Module, deviation: float) -> None:
    """Normal matrices of the given standard deviation, zero biases, unit norms."""
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            module.weight.normal_(0.0, deviation)
        if isinstance(module, nn.LayerNorm):
            module.weight.fill_(1.0)
        if isinstance(module, nn.Linear | nn.LayerNorm) and module.bias is not None:
            module.bias.zero_()
