"""The one place where a device is chosen."""

from __future__ import annotations

import os

import torch

from core.errors import HeadlightError


class UnknownDeviceError(HeadlightError):
    """``HEADLIGHT_DEVICE`` names a device that torch does not offer here."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the device {name!r} named by HEADLIGHT_DEVICE is not available here")
        self.name = name


def pick_device() -> torch.device:
    """Return CUDA if there is one, else Apple's MPS, else the CPU.

    The environment variable ``HEADLIGHT_DEVICE`` (``cpu``, ``cuda``, ``cuda:1``, ``mps``) overrides
    the choice.

    Raises:
        UnknownDeviceError: the variable names a device that does not exist here.
    """
    wanted = os.environ.get("HEADLIGHT_DEVICE", "").strip()
    if wanted:
        try:
            device = torch.device(wanted)
            torch.empty(0, device=device)
        except (RuntimeError, AssertionError) as error:
            raise UnknownDeviceError(wanted) from error
        return device
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")
