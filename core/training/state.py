"""Saving a run so that it can go on: safetensors for tensors, JSON for numbers."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import nn

from core.errors import HeadlightError


class ResumeError(HeadlightError):
    """A saved run that does not fit this model."""


@dataclass(frozen=True)
class RunState:
    """Where a run stands, beside its tensors.

    Attributes:
        step: steps taken.
        seconds: spent training.
        tokens: read.
    """

    step: int
    seconds: float
    tokens: int


def save_state(
    folder: Path,
    state: RunState,
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    generator: torch.Generator,
) -> None:
    """Write weights, optimiser moments and the generator; replaces what is there at once."""
    tensors = {"generator": generator.get_state()}
    for name, parameter in model.named_parameters():
        tensors[f"model.{name}"] = parameter.detach()
        for moment, value in optimiser.state[parameter].items():
            tensors[f"optimiser.{moment}.{name}"] = value
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / "state.safetensors.new"
    save_file(
        {name: value.contiguous() for name, value in tensors.items()},
        fresh,
        metadata={"run": json.dumps(asdict(state))},
    )
    fresh.replace(folder / "state.safetensors")


def load_state(
    folder: Path,
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    generator: torch.Generator,
) -> RunState:
    """Read what :func:`save_state` wrote into the model, its optimiser and the generator.

    Raises:
        ResumeError: nothing is saved there, or it belongs to another model.
    """
    path = folder / "state.safetensors"
    if not path.is_file():
        raise ResumeError(f"there is no saved run in {folder}")
    device = next(model.parameters()).device
    tensors = load_file(path, device=str(device))
    with safe_open(path, framework="pt") as file:
        state = RunState(**json.loads(file.metadata()["run"]))
    generator.set_state(tensors["generator"].cpu())
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            saved = tensors.get(f"model.{name}")
            if saved is None or saved.shape != parameter.shape:
                raise ResumeError(f"the saved run has no fitting {name}")
            parameter.copy_(saved)
            optimiser.state[parameter] = {
                key.split(".", 2)[1]: value
                for key, value in tensors.items()
                if key.startswith("optimiser.") and key.split(".", 2)[2] == name
            }
    return state
