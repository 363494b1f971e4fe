"""What a result weighs in a cache that is bounded in bytes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from app.sizes import size_of

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Inner:
    values: Any


@dataclass(frozen=True)
class Outer:
    inner: Inner
    name: str


ARRAY = np.zeros(MEGABYTE, dtype=np.uint8)


@pytest.mark.parametrize(
    "value",
    [
        "a" * MEGABYTE,
        b"a" * MEGABYTE,
        ARRAY,
        torch.zeros(MEGABYTE, dtype=torch.uint8),
        [ARRAY],
        {"key": [ARRAY]},
        {"a" * MEGABYTE},
        (1, {"key": (2, [Outer(Inner({"deep": ARRAY}), "name")])}),
        [ARRAY, ARRAY, ARRAY[: MEGABYTE // 2], ARRAY.reshape(1000, 1000).T],
        [(whole := torch.zeros(MEGABYTE // 4)), whole[:9], whole.view(500, 500)],
        [f"{number:063}" for number in range(MEGABYTE // 120)],
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_megabyte_is_a_megabyte_wherever_it_lies(value: object) -> None:
    assert MEGABYTE * 0.9 < size_of(value) < MEGABYTE * 1.1


def test_what_holds_itself_comes_to_an_end() -> None:
    endless: list[object] = []
    endless.append(endless)
    assert 0 < size_of(endless) < 1000


def test_other_arrays_count_beside_each_other() -> None:
    assert size_of([np.zeros(1000), np.zeros(1000)]) > 16_000
    assert size_of([torch.zeros(1000), torch.zeros(1000)]) >= 8_000
