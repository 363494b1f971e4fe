"""Several labelled tasks at once: every mini-batch is about one, and all share an encoder.

Source: Liu, He, Chen and Gao 2019, "Multi-Task Deep Neural Networks for Natural Language
Understanding", algorithm 1 and section 3.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from core.errors import ConfigError
from core.models.architectures.mtdnn import Mtdnn
from core.models.task_heads import candidate_log_probabilities
from core.objectives.bert_pretraining import BertPretraining
from core.objectives.hidden_words import PretrainingBatch
from core.objectives.labelled_batches import TaskBatch, TaskBatches
from core.objectives.labelled_files import LabelledTask
from core.objectives.losses import LossSum, token_loss
from core.objectives.multitask import merged_epoch
from core.objectives.objective import SummedObjective
from core.task_config import TaskKind

WORDS = "masked"  # the name of hidden words among the tasks


@dataclass(frozen=True)
class WordsBeside:
    """Hidden words as one more task, so that a model does not forget what it was pre-trained for.

    Attributes:
        objective: where their batches come from, and their loss.
        share: of all mini-batches, above 0 and below 1.
    """

    objective: BertPretraining
    share: float

    def __post_init__(self) -> None:
        if not 0.0 < self.share < 1.0:
            raise ConfigError(f"hidden words have a share in (0, 1), not {self.share}")


class LabelledTasks(SummedObjective[Mtdnn, "TaskBatch | PretrainingBatch"]):
    """Mini-batches and losses of MT-DNN.

    Each task's examples are packed into mini-batches once; every epoch goes through all
    mini-batches of all tasks in an order of its own. Both come from one seed, which is drawn at the
    start, so that a step has the same mini-batch whenever a run is resumed. Only hidden words are
    drawn one batch after the other.

    The one term of a mini-batch has its task's name: nats an example, of a similarity squared
    distance. A step over several mini-batches minimises the sum of the means of its tasks.
    """

    name = "multitask"

    def __init__(
        self,
        tasks: Sequence[LabelledTask],
        generator: torch.Generator,
        *,
        tokens: int,
        padding_id: int,
        words: WordsBeside | None = None,
    ) -> None:
        """Prepare.

        Args:
            tasks: with the heads' configurations and the examples.
            generator: of all random draws, on the model's device.
            tokens: about how many a mini-batch holds, padding included; at least one example.
            padding_id: what stands after the texts.
            words: another task, from running text; or none.
        """
        device = generator.device
        self._seed = int(torch.randint(1 << 62, (), generator=generator, device=device))
        self.words = words
        random_generator = torch.Generator().manual_seed(self._seed)
        self._tasks = {
            task.config.name: TaskBatches(
                task, random_generator, tokens=tokens, padding_id=padding_id, device=device
            )
            for task in tasks
        }
        self._counts = {name: len(batches) for name, batches in self._tasks.items()}
        if words is not None:
            share = words.share / (1.0 - words.share)
            self._counts[WORDS] = max(1, round(share * sum(self._counts.values())))
        self._epoch, self._order = -1, list[tuple[str, int]]()

    @property
    def mini_batches(self) -> int:
        """How many an epoch has, of all tasks together."""
        return sum(self._counts.values())

    def batch(self, step: int) -> TaskBatch | PretrainingBatch:
        """The mini-batch of a step; that of a task depends on nothing but the step and the seed."""
        epoch, index = divmod(step, self.mini_batches)
        if epoch != self._epoch:
            random_generator = torch.Generator().manual_seed(self._seed + 1 + epoch)
            self._epoch, self._order = epoch, merged_epoch(self._counts, random_generator)
        name, number = self._order[index]
        if self.words is not None and name == WORDS:
            return self.words.objective.batch(epoch * self._counts[WORDS] + number)
        return self._tasks[name][number]

    def shapes(self) -> list[TaskBatch | PretrainingBatch]:
        """A mini-batch of every task and width, and hidden words of every layout."""
        shapes: list[TaskBatch | PretrainingBatch] = []
        for batches in self._tasks.values():
            shapes += batches.shapes()
        return shapes if self.words is None else [*shapes, *self.words.objective.shapes()]

    def counts(self, batch: TaskBatch | PretrainingBatch) -> dict[str, Tensor]:
        """How many examples the mini-batch has, or hidden words."""
        if isinstance(batch, TaskBatch):
            return {batch.task.name: batch.real.sum().float()}
        return self._words.counts(batch)

    def terms(self, model: Mtdnn, batch: TaskBatch | PretrainingBatch) -> dict[str, LossSum]:
        """What the task's head gets wrong, added up over the examples.

        Raises:
            MissingHeadError: words are hidden, and the model has no head for them.
        """
        if not isinstance(batch, TaskBatch):
            return self._words.terms(model, batch)
        task = batch.task
        found = model.answer(task.name, batch.ids, batch.segments, batch.keep).float()
        return {task.name: task_loss(task.kind, found, batch.labels, batch.real, batch.candidates)}

    @property
    def _words(self) -> BertPretraining:
        assert self.words is not None
        return self.words.objective


def task_loss(
    kind: TaskKind,
    found: Tensor,
    labels: Tensor,
    real: Tensor,
    candidates: Tensor | None = None,
) -> LossSum:
    """The loss of one task, over examples.

    Classes: nats of the right one. Similarity: the squared distance. Ranking: nats of the right
    candidate among all of its query. Source: Liu et al. 2019, section 3.1.

    Args:
        kind: of the task.
        found: by its head, as ``core.models.task_heads`` describes it.
        labels: ``[example]``; a ranking needs none, its right candidates come first.
        real: boolean ``[example]``, False where there is none.
        candidates: boolean ``[example, candidate]``, for a ranking.
    """
    match kind:
        case TaskKind.SIMILARITY:
            lost = functional.mse_loss(found, labels, reduction="none")
        case TaskKind.RANKING:
            assert candidates is not None
            scores = found.view(candidates.shape)
            lost = -candidate_log_probabilities(scores, candidates)[:, 0]
        case _:
            # The answer network's logarithms stay what they are in another softmax.
            return token_loss(found, labels, real.float())
    return LossSum((lost * real).sum(), real.sum().float())
