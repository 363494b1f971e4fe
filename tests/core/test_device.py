"""Which device is chosen, and that a wrong name is refused in words."""

import pytest
import torch

from core.device import UnknownDeviceError, pick_device


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
