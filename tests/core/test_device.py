"""Which device is chosen, and that a wrong name is refused in words."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from core.device import UnknownDeviceError, on_one_thread, pick_device
from core.engine.call import call
from core.engine.worker import WorkerEngine
from core.tasks.describe import describe


@pytest.fixture(autouse=True)
def no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADLIGHT_DEVICE", raising=False)


@pytest.mark.parametrize(
    ("cuda", "mps", "expected"),
    [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")],
)
def test_the_fastest_device_is_chosen(
    monkeypatch: pytest.MonkeyPatch, cuda: bool, mps: bool, expected: str
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert pick_device().type == expected


def test_the_setting_comes_before_the_fastest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setenv("HEADLIGHT_DEVICE", " cpu ")
    assert pick_device() == torch.device("cpu")


def test_the_caller_comes_before_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_DEVICE", "nowhere")
    assert pick_device("cpu") == torch.device("cpu")


@pytest.mark.parametrize("name", ["nowhere", "cuda:99", "meta", "cpu cuda", "mps:-1"])
def test_a_device_that_is_not_here_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("HEADLIGHT_DEVICE", name)
    with pytest.raises(UnknownDeviceError, match="is not available here") as caught:
        pick_device()
    assert caught.value.name == name


@pytest.fixture
def three_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("three_threads")
def test_two_workers_may_be_on_one_thread_at_once() -> None:
    begun, leave = threading.Event(), threading.Event()

    def wait_within() -> tuple[int, int]:
        with on_one_thread():
            begun.set()
            leave.wait(20)
            within = torch.get_num_threads()
        return within, torch.get_num_threads()

    def come_and_go() -> tuple[int, int]:  # a thread that torch has not seen before
        with on_one_thread():
            within = torch.get_num_threads()
        return within, torch.get_num_threads()

    with ThreadPoolExecutor() as pool:
        first = pool.submit(wait_within)
        assert begun.wait(20)
        assert pool.submit(come_and_go).result() == (1, 3)
        leave.set()
        assert first.result() == (1, 3)
    with ThreadPoolExecutor() as pool:
        assert pool.submit(torch.get_num_threads).result() == 3


@pytest.mark.usefixtures("three_threads")
def test_a_worker_that_begins_meanwhile_has_all_threads() -> None:
    seen = []

    def load(name: str) -> None:
        seen.append(torch.get_num_threads())
        raise FileNotFoundError(name)

    with on_one_thread():
        engine = WorkerEngine(load)  # type: ignore[arg-type]
        with pytest.raises(FileNotFoundError):
            engine.submit("a", call(describe, "none")).result(20)
        engine.close()
        assert torch.get_num_threads() == 1
    assert seen == [3]


def test_an_error_within_leaves_the_number_as_it_was() -> None:
    before = torch.get_num_threads()
    with pytest.raises(ZeroDivisionError), on_one_thread():
        _ = 1 / 0
    assert torch.get_num_threads() == before
