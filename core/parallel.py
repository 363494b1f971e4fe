"""Large arrays layer by layer, on as many cores as there are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

MOST_THREADS = 8

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")


def in_threads(function: Callable[[ItemT], ResultT], items: Iterable[ItemT]) -> list[ResultT]:
    """Apply a function to every item, several at a time; the results in the items' order.

    For numpy on arrays of a megabyte and more, which computes outside Python's lock. The function
    must not call this one in its turn.

    Raises:
        Exception: what the function raises, of the first item that it fails for.
    """
    return list(_pool().map(function, items))


@cache
def _pool() -> ThreadPoolExecutor:
    count = min(os.cpu_count() or 1, MOST_THREADS)
    return ThreadPoolExecutor(count, thread_name_prefix="headlight-layers")
