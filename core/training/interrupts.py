"""Ctrl-C between steps, never in the middle of one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupts_later() -> Iterator[None]:
    """Hold Ctrl-C back until the end of the block.

    A step that is left half-way has drawn from the generators but moved no weight: what is saved
    then would not continue the same run. Outside the main thread, where Python delivers no signals,
    and where somebody else handles them, this does nothing.
    """
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or (
        usual is not signal.default_int_handler
    ):
        yield
        return
    asked = False

    def note(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        asked = True

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if asked:
        raise KeyboardInterrupt
