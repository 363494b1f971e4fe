"""What the three comparisons have in common."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import torch

RUNS = 20
WARM_UP = 3


def device_name(device: torch.device) -> str:
    """``"cpu"``, or the name of the GPU."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


@torch.inference_mode()
def interleaved(
    one: Callable[[], object], two: Callable[[], object], device: torch.device
) -> tuple[float, float]:
    """The median milliseconds of both, run in turn; who goes first alternates."""
    times: dict[Callable[[], object], list[float]] = {one: [], two: []}
    for run in range(-WARM_UP, RUNS):
        for side in (one, two) if run % 2 else (two, one):
            _wait_for(device)
            start = time.perf_counter()
            side()
            _wait_for(device)
            if run >= 0:
                times[side].append((time.perf_counter() - start) * 1e3)
    return statistics.median(times[one]), statistics.median(times[two])


def _wait_for(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()
