"""What all objectives have in common: named terms, each a sum and a count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Generic, TypeVar

from torch import Tensor

from core.objectives.losses import LossSum, mean_losses

Model = TypeVar("Model")
Batch = TypeVar("Batch")


class SummedObjective(ABC, Generic[Model, Batch]):
    """An objective as the training loop wants it (``core.training.loop.Objective``).

    Attributes:
        name: of the objective.
        weights: factors on the means of its terms; 1 for a term that is not named.
    """

    name: str
    weights: Mapping[str, float] = {}

    @abstractmethod
    def batch(self, step: int) -> Batch:
        """The batch of a step."""

    @abstractmethod
    def shapes(self) -> list[Batch]:
        """One batch of every shape, drawn without consequence for the batches of the steps."""

    @abstractmethod
    def terms(self, model: Model, batch: Batch) -> dict[str, LossSum]:
        """The parts of the loss by name, as sums and counts."""

    @abstractmethod
    def counts(self, batch: Batch) -> dict[str, Tensor]:
        """How many positions count in each of the terms, as the batch alone tells."""

    def losses(
        self, model: Model, batch: Batch, counts: Mapping[str, Tensor] | None = None
    ) -> Mapping[str, Tensor]:
        """``loss``, the weighted sum, and every term: mean nats a position.

        Args:
            model: what is trained.
            batch: what it reads.
            counts: how many positions all batches of a step have together; ``None`` for this one
                alone.
        """
        return mean_losses(self.terms(model, batch), self.weights, counts)
