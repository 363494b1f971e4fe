"""Saving a run so that it can go on: safetensors for tensors, JSON for numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from core.errors import HeadlightError

FILE = "state.safetensors"


class ResumeError(HeadlightError):
    """A saved run that is not there, or that this one cannot go on from."""


@dataclass
class RunState:
    """Where a run stands, beside its tensors.

    Attributes:
        step: steps taken.
        seconds: spent training.
        tokens: read.
    """

    step: int = 0
    seconds: float = 0.0
    tokens: int = 0


def save_state(
    folder: Path,
    state: RunState,
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    generator: torch.Generator,
) -> None:
    """Write weights, moments and states of generators; replaces what is there at once.

    Args:
        folder: created if it is missing.
        state: where the run stands.
        model: its parameters are kept.
        optimiser: over these.
        generator: of the batches, on the model's device. Torch's own, which dropout draws from,
            is kept as well.
    """
    tensors = {
        "generator": generator.get_state(),
        "dropout": _random_numbers(generator.device).get_rng_state(),
    }
    for name, parameter in model.named_parameters():
        tensors[f"model.{name}"] = parameter.detach()
        for moment, value in optimiser.state[parameter].items():
            tensors[f"optimiser.{moment}.{name}"] = value
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f"{FILE}.new"
    save_file(
        {name: value.contiguous() for name, value in tensors.items()},
        fresh,
        metadata={"run": json.dumps(asdict(state))},
    )
    fresh.replace(folder / FILE)


def load_state(
    folder: Path,
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    generator: torch.Generator,
) -> RunState:
    """Read what :func:`save_state` wrote into the model, its optimiser and the generators.

    Raises:
        ResumeError: nothing is saved there, or it belongs to another model or kind of device;
            nothing has been changed then.
    """
    state, tensors = _read(folder)
    parameters = dict(model.named_parameters())
    saved = {
        key.removeprefix("model."): value
        for key, value in tensors.items()
        if key.startswith("model.")
    }
    for name in sorted(parameters.keys() | saved.keys()):
        here, there = parameters.get(name), saved.get(name)
        if here is None or there is None or here.shape != there.shape:
            raise ResumeError(
                f"the saved run is of another model: {name} is {_shape(there)} there"
                f" and {_shape(here)} here"
            )
    try:
        generator.set_state(tensors["generator"])
    except RuntimeError as error:
        raise ResumeError("the saved run was made on another kind of device") from error
    _random_numbers(generator.device).set_rng_state(tensors["dropout"])
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(saved[name])
    _load_moments(parameters, optimiser, tensors)
    return state


def _read(folder: Path) -> tuple[RunState, dict[str, Tensor]]:
    path = folder / FILE
    if not path.is_file():
        raise ResumeError(f"there is no saved run in {folder}")
    try:
        with safe_open(path, framework="pt") as file:
            run = (file.metadata() or {}).get("run")
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ResumeError(f"the saved run in {folder} is damaged") from error
    if run is None or not {"generator", "dropout"} <= tensors.keys():
        raise ResumeError(f"{path} is not a saved run")
    return RunState(**json.loads(run)), tensors


def _load_moments(
    parameters: Mapping[str, nn.Parameter],
    optimiser: torch.optim.Optimizer,
    tensors: Mapping[str, Tensor],
) -> None:
    # Torch numbers the parameters over all groups, and puts each moment on the right device.
    names = {parameter: name for name, parameter in parameters.items()}
    order = [names[one] for group in optimiser.param_groups for one in group["params"]]
    moments: dict[str, dict[str, Tensor]] = {name: {} for name in order}
    for key, value in tensors.items():
        if key.startswith("optimiser."):
            _, moment, name = key.split(".", 2)
            moments[name][moment] = value
    saved = {number: moments[name] for number, name in enumerate(order) if moments[name]}
    optimiser.load_state_dict({**optimiser.state_dict(), "state": saved})


def _random_numbers(device: torch.device) -> Any:
    # The module whose generator dropout draws from.
    return torch if device.type == "cpu" else torch.get_device_module(device)


def _shape(value: Tensor | None) -> str:
    return "missing" if value is None else str(list(value.shape))
