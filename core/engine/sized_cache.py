"""A memory for results and models that is bounded in bytes, not in entries."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

ValueT = TypeVar("ValueT")


class SizedCache(Generic[ValueT]):
    """Keeps what was used last, up to a number of bytes. Threads may share it."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.used_bytes = 0
        self._entries: OrderedDict[Hashable, tuple[ValueT, int]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable) -> ValueT | None:
        """The value kept under a key, if it is still there."""
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key][0]

    def put(self, key: Hashable, value: ValueT, size_bytes: int) -> None:
        """Keep a value; the longest unused ones make room. One above the limit is not kept."""
        with self._lock:
            if key in self._entries:
                self.used_bytes -= self._entries.pop(key)[1]
            if size_bytes > self.limit_bytes:
                return
            self._entries[key] = (value, size_bytes)
            self.used_bytes += size_bytes
            while self.used_bytes > self.limit_bytes:
                _, (_, freed) = self._entries.popitem(last=False)
                self.used_bytes -= freed
