"""What the verbs that let a model write have in common."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.decoding import Sampling

_PAUSE = 0.1  # seconds between two lines of progress


def add_writing_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of sampling and ``--progress``."""
    parser.add_argument(
        "--temperature",
        type=float,
        metavar="T",
        help="0 takes the likeliest piece each time (default: 0; of several samples, or with"
        " --top-k or --top-p, 1)",
    )
    parser.add_argument("--top-k", type=int, metavar="K", help="draw from the K likeliest pieces")
    parser.add_argument(
        "--top-p",
        type=float,
        metavar="P",
        help="draw from the fewest pieces that together have the probability P",
    )
    parser.add_argument(
        "--progress",
        action="store_true",
        help="say on the standard error how far it is, also where that is no terminal",
    )


def sampling_of(arguments: argparse.Namespace) -> Sampling:
    """How pieces are chosen.

    Raises:
        core.bounds.OutOfBoundsError: a number out of its range.
    """
    from core.decoding import Sampling

    temperature = arguments.temperature
    if temperature is None:
        alone = arguments.samples == 1 and arguments.top_k is None and arguments.top_p is None
        temperature = 0.0 if alone else 1.0
    return Sampling(temperature, arguments.top_k, arguments.top_p)


def check_sampling(arguments: argparse.Namespace) -> None:
    """Refuse a rule of sampling that is none, before the model is loaded."""
    sampling_of(arguments)


class Progress:
    """A line on the standard error that is written over."""

    def __init__(self, unit: str, *, wanted: bool) -> None:
        """Prepare; unless it is wanted, only a terminal is told anything."""
        self._unit = unit
        self._shown = wanted or sys.stderr.isatty()
        self._last = -1
        self._next = 0.0

    def tell(self, done: int, total: int, *, over: bool) -> None:
        """Say how far it is, not more than ten times a second; ``over`` ends the line."""
        now = time.monotonic()
        if not self._shown or (not over and (done == self._last or now < self._next)):
            return
        self._last, self._next = done, now + _PAUSE
        line = f"\r{done} of {total} {self._unit}"
        print(line, end="\n" if over else "", file=sys.stderr, flush=True)
