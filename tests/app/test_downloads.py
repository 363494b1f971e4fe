"""Models on their way from the hub, played by a download that waits for its turn."""

import threading
import time

import pytest

from app import downloads
from core.checkpoints import OfflineError, Progress, TooLargeError


class Slow:
    """A download whose steps are let through one by one."""

    def __init__(self, size=100, error=None):
        self.size, self.error = size, error
        self.turns = threading.Semaphore(0)
        self.closed = threading.Event()

    def __call__(self, _name, policy):
        assert policy.allow_hub
        try:
            for done in range(0, self.size + 1, 25):
                assert self.turns.acquire(timeout=20)
                if self.error and done:
                    raise self.error
                yield Progress(done, self.size)
        finally:
            self.closed.set()

    def go(self, steps=5):
        for _step in range(steps):
            self.turns.release()


@pytest.fixture(autouse=True)
def nothing_yet(monkeypatch):
    monkeypatch.setenv("HEADLIGHT_HUB", "1")
    monkeypatch.setattr(downloads, "_fetches", {})


@pytest.fixture
def slow(monkeypatch):
    one = Slow()
    monkeypatch.setattr(downloads, "download", one)
    return one


def seen(name, session):
    found = downloads.look(name, session)
    assert found is not None
    return found


def wait(until):
    deadline = time.monotonic() + 20
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_progress_is_seen_by_who_asked(slow):
    downloads.fetch("a/b", 100, "one")
    slow.go(2)
    wait(lambda: seen("a/b", "one").progress.done_bytes == 25)
    assert downloads.look("a/b", "another") is None
    assert not seen("a/b", "one").ended
    slow.go()
    wait(lambda: seen("a/b", "one").ended)
    found = seen("a/b", "one")
    assert found.complete
    assert found.progress == Progress(100, 100)


def test_the_last_one_that_leaves_stops_it(slow):
    downloads.fetch("a/b", 100, "one")
    downloads.fetch("a/b", 100, "two")
    downloads.leave("a/b", "one")
    slow.go(1)
    wait(lambda: seen("a/b", "two").progress.total_bytes == 100)
    assert not slow.closed.is_set()
    downloads.leave("a/b", "two")
    slow.go(1)
    assert slow.closed.wait(20)
    wait(lambda: downloads._fetches["a/b"].ended)
    assert not downloads._fetches["a/b"].complete


def test_a_closed_page_stops_it(slow, monkeypatch):
    monkeypatch.setattr(downloads, "PATIENCE_SECONDS", 0.0)
    downloads.fetch("a/b", 100, "one")
    slow.go(1)
    assert slow.closed.wait(20)


def test_one_at_a_time(slow):
    downloads.fetch("a/b", 100, "one")
    with pytest.raises(downloads.HubBusyError, match="a/b"):
        downloads.fetch("c/d", 100, "two")
    slow.go()
    wait(lambda: seen("a/b", "one").ended)
    downloads.fetch("c/d", 100, "two")
    slow.go()
    wait(lambda: seen("c/d", "two").ended)


def test_no_more_in_all_than_the_host_allows(slow):
    with pytest.raises(TooLargeError):
        downloads.fetch("a/b", 1_000_001, "one")
    slow.size = 600_000
    downloads.fetch("a/b", 600_000, "one")
    slow.go(600_000)
    wait(lambda: seen("a/b", "one").ended)
    with pytest.raises(TooLargeError, match="1,200,000"):
        downloads.fetch("c/d", 600_000, "one")


def test_what_goes_wrong_is_told(monkeypatch):
    slow = Slow(error=OfflineError("a/b", []))
    monkeypatch.setattr(downloads, "download", slow)
    downloads.fetch("a/b", 900_000, "one")
    slow.go()
    wait(lambda: seen("a/b", "one").ended)
    assert seen("a/b", "one").error is slow.error
    # What did not arrive does not count.
    slow.error = None
    slow.closed.clear()
    downloads.fetch("c/d", 900_000, "one")
    slow.go()
    wait(lambda: seen("c/d", "one").ended)
