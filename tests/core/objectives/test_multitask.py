"""Batches of several tasks in one epoch; rates in proportion, limited, tempered."""

from collections import Counter

import pytest
import torch

from core.errors import ConfigError
from core.objectives.multitask import Mixing, merged_epoch, pack


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_an_epoch_has_every_mini_batch_of_every_task_once() -> None:
    epoch = merged_epoch({"pairs": 3, "ranking": 1, "single": 40}, seeded())
    assert sorted(epoch) == sorted(
        [("pairs", n) for n in range(3)] + [("ranking", 0)] + [("single", n) for n in range(40)]
    )
    assert epoch != merged_epoch({"pairs": 3, "ranking": 1, "single": 40}, seeded(1))
    assert epoch == merged_epoch({"pairs": 3, "ranking": 1, "single": 40}, seeded())


def test_tasks_are_mixed_not_one_after_the_other() -> None:
    positions = []
    for seed in range(200):
        epoch = merged_epoch({"few": 10, "many": 90}, seeded(seed))
        positions += [position for position, (task, _) in enumerate(epoch) if task == "few"]
    assert sum(positions) / len(positions) == pytest.approx(49.5, abs=3)


def test_examples_are_packed_once_each() -> None:
    packed = pack(10, 4, seeded())
    assert [len(one) for one in packed] == [4, 4, 2]
    assert sorted(number for one in packed for number in one) == list(range(10))
    assert packed != pack(10, 4, seeded(1))
    with pytest.raises(ConfigError, match="not 0"):
        pack(10, 0, seeded())


EXAMPLES = {"small": 100, "middle": 900, "large": 99_000}


def test_rates_by_hand() -> None:
    assert Mixing().rates(EXAMPLES) == pytest.approx(
        {"small": 0.001, "middle": 0.009, "large": 0.99}
    )
    limited = Mixing(limit=1000).rates(EXAMPLES)
    assert limited == pytest.approx({"small": 0.05, "middle": 0.45, "large": 0.5})
    tempered = Mixing(temperature=2.0, limit=1600).rates(EXAMPLES)  # roots 10, 30 and 40
    assert tempered == pytest.approx({"small": 0.125, "middle": 0.375, "large": 0.5})
    equal = Mixing(temperature=1e6).rates(EXAMPLES)
    assert equal == pytest.approx(dict.fromkeys(EXAMPLES, 1 / 3), abs=1e-4)


def test_draws_follow_the_rates() -> None:
    mixing = Mixing(temperature=2.0, limit=1600)
    seen = Counter(mixing.draw(EXAMPLES, 8000, seeded()))
    shares = {task: count / 8000 for task, count in seen.items()}
    assert shares == pytest.approx({"small": 0.125, "middle": 0.375, "large": 0.5}, abs=0.02)


def test_a_task_without_examples_never_comes() -> None:
    assert Mixing().rates({"some": 5, "none": 0}) == {"some": 1.0, "none": 0.0}
    with pytest.raises(ConfigError, match="no task"):
        Mixing().rates({"none": 0})


@pytest.mark.parametrize("numbers", [{"temperature": 0.5}, {"limit": 0}])
def test_mixings_that_are_none_are_refused(numbers: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        Mixing(**numbers)
