"""What the three comparisons have in common."""

from __future__ import annotations

import torch


def device_name(device: torch.device) -> str:
    """``"cpu"``, or the name of the GPU."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def wait_for(device: torch.device) -> None:
    """Return when the device has done everything that it was asked for."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()
