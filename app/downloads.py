"""Models on their way from the hub: one at a time, watched, and stopped when nobody watches.

A download belongs to the process, not to a page, so that it survives a change of page; it ends
when every session that asked for it has left or said stop.
"""

from __future__ import annotations

import threading
import time
from contextlib import closing
from dataclasses import dataclass, field

from app.host import hub_bytes, load_policy
from core.checkpoints import Progress, TooLargeError, download
from core.errors import HeadlightError

PATIENCE_SECONDS = 20.0  # a page looks several times a second; a closed one never again


class HubBusyError(HeadlightError):
    """Another model is on its way."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the model {name!r} is being fetched: one comes at a time")
        self.name = name


@dataclass
class Fetch:
    """One download: how far it is, and how it ended.

    Attributes:
        name: on the hub.
        size_bytes: of all its files, as was told before.
        progress: so far.
        error: what went wrong, if it has ended with that.
        ended: whether anything more is to be expected.
        complete: whether all of it arrived.
    """

    name: str
    size_bytes: int
    progress: Progress
    error: HeadlightError | None = None
    ended: bool = False
    complete: bool = False
    watchers: dict[str, float] = field(default_factory=dict)


_lock = threading.Lock()
_fetches: dict[str, Fetch] = {}


def fetch(name: str, size_bytes: int, session: str) -> None:
    """Begin to fetch a model, or wait with those who have asked for it before.

    Args:
        name: on the hub.
        size_bytes: as :func:`core.checkpoints.download_size` told.
        session: who asks.

    Raises:
        HubBusyError: another one is on its way.
        TooLargeError: with it, more would have been fetched than the host allows.
    """
    now = time.monotonic()
    with _lock:
        running = next((one for one in _fetches.values() if not one.ended), None)
        if running is not None and running.name != name:
            raise HubBusyError(running.name)
        if running is None:
            fetched = sum(one.size_bytes for one in _fetches.values() if one.name != name)
            if fetched + size_bytes > hub_bytes():
                what = "with it, all that was fetched, in bytes,"
                raise TooLargeError(what, fetched + size_bytes, hub_bytes())
            running = _fetches[name] = Fetch(name, size_bytes, Progress(0, size_bytes))
            threading.Thread(target=_work, args=(running,), name=f"hub {name}", daemon=True).start()
        running.watchers[session] = now


def look(name: str, session: str) -> Fetch | None:
    """How far a download is that this session asked for; it goes on while somebody looks."""
    with _lock:
        found = _fetches.get(name)
        if found is None or session not in found.watchers:
            return None
        found.watchers[session] = time.monotonic()
        return found


def leave(name: str, session: str) -> None:
    """Forget that a session wants it; the last one that leaves stops it."""
    with _lock:
        if name in _fetches:
            _fetches[name].watchers.pop(session, None)


def _work(one: Fetch) -> None:
    try:
        with closing(download(one.name, load_policy())) as steps:
            for step in steps:
                one.progress = step
                if _abandoned(one):
                    return
            one.complete = True
    except HeadlightError as error:
        one.error = error
    finally:
        with _lock:
            one.ended = True
            if not one.complete:
                one.size_bytes = 0 if one.error else one.progress.done_bytes


def _abandoned(one: Fetch) -> bool:
    with _lock:
        since = time.monotonic() - PATIENCE_SECONDS
        one.watchers = {name: last for name, last in one.watchers.items() if last > since}
        return not one.watchers
