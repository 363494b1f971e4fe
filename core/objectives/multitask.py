"""Which task a model learns next, where it learns several.

Sources: Liu et al. 2019, "Multi-Task Deep Neural Networks for Natural Language Understanding",
algorithm 1; Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified
Text-to-Text Transformer", section 3.5.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from core.errors import ConfigError


def merged_epoch(batches: Mapping[str, int], generator: torch.Generator) -> list[tuple[str, int]]:
    """All mini-batches of all tasks, shuffled together: one epoch of MT-DNN's algorithm 1.

    Args:
        batches: how many mini-batches each task's data was packed into.
        generator: of all random draws, on the CPU.

    Returns:
        Each mini-batch once, as its task and its number there.
    """
    merged = [(task, number) for task, count in batches.items() for number in range(count)]
    return [merged[index] for index in torch.randperm(len(merged), generator=generator).tolist()]


def pack(examples: int, size: int, generator: torch.Generator) -> list[list[int]]:
    """Numbers of a task's examples, shuffled and packed into mini-batches; the last may be small.

    Args:
        examples: how many the task has.
        size: examples a mini-batch.
        generator: of all random draws, on the CPU.

    Raises:
        ConfigError: a mini-batch of nothing.
    """
    if size < 1:
        raise ConfigError(f"a mini-batch holds at least 1 example, not {size}")
    order = torch.randperm(examples, generator=generator).tolist()
    return [order[start : start + size] for start in range(0, examples, size)]


@dataclass(frozen=True)
class Mixing:
    """How often each task comes where its examples are drawn one by one.

    The rate of a task is ``min(examples, limit) ** (1 / temperature)``, divided by the sum of all:
    in proportion to the examples at a temperature of 1, more and more equal above.

    Attributes:
        temperature: 1 or more.
        limit: examples of a task that count; ``None`` for all of them.
    """

    temperature: float = 1.0
    limit: int | None = None

    def __post_init__(self) -> None:
        if not self.temperature >= 1.0:
            raise ConfigError(f"the mixing temperature must be at least 1, not {self.temperature}")
        if self.limit is not None and self.limit < 1:
            raise ConfigError(f"at least 1 example of a task counts, not {self.limit}")

    def rates(self, examples: Mapping[str, int]) -> dict[str, float]:
        """The share of each task, from how many examples it has.

        Raises:
            ConfigError: there is no example at all.
        """
        counted = {
            task: min(count, count if self.limit is None else self.limit)
            for task, count in examples.items()
        }
        raised = {
            task: count ** (1 / self.temperature) if count else 0.0
            for task, count in counted.items()
        }
        total = sum(raised.values())
        if total == 0:
            raise ConfigError("no task has an example")
        return {task: one / total for task, one in raised.items()}

    def draw(
        self, examples: Mapping[str, int], count: int, generator: torch.Generator
    ) -> list[str]:
        """So many tasks, each drawn by its rate.

        Args:
            examples: how many each task has.
            count: how many tasks are drawn.
            generator: of all random draws, on the CPU.
        """
        rates = self.rates(examples)
        names = list(rates)
        chosen = torch.multinomial(
            torch.tensor(list(rates.values())), count, replacement=True, generator=generator
        )
        return [names[index] for index in chosen.tolist()]
