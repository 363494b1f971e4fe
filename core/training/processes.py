"""Several processes that train one model: which one this is, and what all must agree on.

``torchrun`` starts the processes and tells each its rank in environment variables; without them
there is one process, and everything here does nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, distributed

from core.device import pick_device


@dataclass(frozen=True)
class Processes:
    """One process among all.

    Attributes:
        rank: its number; 0 writes what is to be written.
        count: of all.
    """

    rank: int = 0
    count: int = 1

    @property
    def first(self) -> bool:
        """Whether this is the one that writes events and checkpoints."""
        return self.rank == 0

    def add_up(self, values: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The sums of scalars over all processes; all must name the same ones."""
        if self.count == 1:
            return dict(values)
        names = sorted(values)  # in one order for all
        sums = torch.stack([values[name].detach().float() for name in names])
        distributed.all_reduce(sums)
        found = dict(zip(names, sums, strict=True))
        return {name: found[name] for name in values}

    def agree(self, value: float, device: torch.device) -> float:
        """The first process's number, for all."""
        if self.count == 1:
            return value
        shared = torch.tensor(value, dtype=torch.float64, device=device)
        distributed.broadcast(shared, src=0)
        return float(shared)

    @contextmanager
    def first_goes_ahead(self) -> Iterator[None]:
        """The first process runs the block alone; the others find what it has left."""
        if self.count > 1 and not self.first:
            distributed.barrier()
        yield
        if self.count > 1 and self.first:
            distributed.barrier()


def processes() -> Processes:
    """The rank of this process."""
    if not distributed.is_available() or not distributed.is_initialized():
        return Processes()
    return Processes(distributed.get_rank(), distributed.get_world_size())


@contextmanager
def joined(device: str = "") -> Iterator[torch.device]:
    """Join the other processes that ``torchrun`` has started, if there are any.

    Args:
        device: as in :func:`core.device.pick_device`; of several GPUs, each process takes the one
            of its number on this machine.

    Yields:
        The device to train on.

    Raises:
        core.device.UnknownDeviceError: there is no such device here.
    """
    chosen = pick_device(device)
    if int(os.environ.get("WORLD_SIZE", "1")) < 2 or distributed.is_initialized():
        yield chosen
        return
    on_gpu = chosen.type == "cuda"
    if on_gpu:
        chosen = pick_device(f"cuda:{os.environ.get('LOCAL_RANK', '0')}")
        torch.cuda.set_device(chosen)
    distributed.init_process_group(
        "nccl" if on_gpu else "gloo", device_id=chosen if on_gpu else None
    )
    try:
        yield chosen
    finally:
        distributed.destroy_process_group()
