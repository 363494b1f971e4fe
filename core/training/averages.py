"""The mean of the last savings of a run: steadier than any one of them.

Vaswani et al. 2017, "Attention Is All You Need", section 6.1, average the last 5 checkpoints of a
base model, written at intervals of 10 minutes.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from core.training.state import ResumeError

_NAME = "weights-{:012d}.safetensors"


def mean_of(states: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of each tensor over states of one model, added up in float64."""
    return {
        name: torch.stack([one[name].double() for one in states]).mean(0).to(tensor.dtype)
        for name, tensor in states[0].items()
    }


class Averages:
    """The weights of the last savings, in the folder of a run.

    Args:
        folder: of the run.
        count: how many are kept; with 1, none is, and nothing is averaged.
    """

    def __init__(self, folder: Path, count: int) -> None:
        self._folder = folder
        self._count = count

    def clear(self) -> None:
        """Forget the savings of an earlier run."""
        for path in self._kept():
            path.unlink()

    @contextmanager
    def including(self, model: nn.Module, step: int) -> Iterator[nn.Module]:
        """The model with the mean weights of the last savings, this one included.

        This one is kept for later means when the block ends well.

        Raises:
            ResumeError: an earlier saving is damaged.
        """
        if self._count == 1:
            yield model
            return
        # Parameters, not the state: two networks may share a table, and a file holds it once.
        state = {name: value.detach().cpu() for name, value in model.named_parameters()}
        fresh = self._folder / _NAME.format(step)
        earlier = [path for path in self._kept() if path.name < fresh.name]
        earlier = earlier[1 - self._count :]
        averaged = copy.deepcopy(model)
        mean = mean_of([*map(_read, earlier), state])
        with torch.no_grad():
            for name, parameter in averaged.named_parameters():
                parameter.copy_(mean[name])
        yield averaged
        unfinished = fresh.with_suffix(".new")
        save_file({name: value.contiguous() for name, value in state.items()}, unfinished)
        unfinished.replace(fresh)
        for path in self._kept():
            if path not in (*earlier, fresh):
                path.unlink()

    def _kept(self) -> list[Path]:
        return sorted(self._folder.glob("weights-*.safetensors"))


def _read(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except SafetensorError as error:
        raise ResumeError(f"{path} is damaged") from error
