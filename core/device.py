"""The one place where a device is chosen."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from core.errors import HeadlightError

_KINDS = ("cpu", "cuda", "mps")


class UnknownDeviceError(HeadlightError):
    """A device by name that torch does not offer here."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the device {name!r} is not available here")
        self.name = name


def pick_device(name: str = "") -> torch.device:
    """Return CUDA if there is one, else Apple's MPS, else the CPU.

    Args:
        name: the device to return instead (``cpu``, ``cuda``, ``cuda:1``, ``mps``); without one,
            the environment variable ``HEADLIGHT_DEVICE`` is looked at.

    Raises:
        UnknownDeviceError: there is no device of that name here.
    """
    wanted = name or os.environ.get("HEADLIGHT_DEVICE", "").strip()
    if wanted:
        return _existing(wanted)
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def device_in_words(device: torch.device) -> str:
    """What a device is called in a record: its make, or on the CPU how many threads compute."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    threads = torch.get_num_threads()
    return f"{device.type}, {threads} {'thread' if threads == 1 else 'threads'}"


def in_one_order() -> None:
    """Let this process add up its sums in one order, whatever runs beside it: the same numbers.

    One thread on the CPU, one workspace of cuBLAS on a GPU. To be called before a GPU is used.
    """
    torch.set_num_threads(1)
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


# torch counts threads for each thread of ours, and gives a new one what was set last in any.
_LOCK = threading.Lock()
_within = 0  # how many threads of ours are within ``on_one_thread``
_usual = 1  # what the first of them had before


@contextmanager
def on_one_thread() -> Iterator[None]:
    """Use one thread of the CPU in this context: for steps in which threads mostly wait.

    Beside a server and a browser on the same few cores, they would wait for these, too. Several
    threads may be within at once; each has its number again when it leaves.
    """
    global _within, _usual
    with _LOCK:
        before = torch.get_num_threads()
        if _within == 0:
            _usual = before
        elif before == 1:  # it began while others were within
            before = _usual
        _within += 1
        torch.set_num_threads(1)
    try:
        yield
    finally:
        with _LOCK:
            _within -= 1
            torch.set_num_threads(before)


def use_all_threads() -> None:
    """Give a thread of ours that begins the usual number, also while others are on one thread."""
    with _LOCK:
        if _within:
            torch.set_num_threads(_usual)


def _existing(name: str) -> torch.device:
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise UnknownDeviceError(name) from error
    if device.type not in _KINDS:  # torch has others that compute nothing, such as "meta"
        raise UnknownDeviceError(name)
    return device
