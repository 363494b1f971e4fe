"""Several labelled tasks at once: every mini-batch is about one, and all share an encoder.

Source: Liu, He, Chen and Gao 2019, "Multi-Task Deep Neural Networks for Natural Language
Understanding", algorithm 1 and section 3.1.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from core.models.architectures.mtdnn import Mtdnn
from core.models.task_heads import candidate_log_probabilities
from core.objectives.labelled_files import Example, LabelledTask, Row
from core.objectives.losses import LossSum, token_loss
from core.objectives.multitask import merged_epoch, pack
from core.objectives.objective import SummedObjective
from core.task_config import TaskConfig, TaskKind

_WIDTHS = 8  # tokens; widths are its multiples


@dataclass(frozen=True)
class TaskBatch:
    """Examples of one task.

    Attributes:
        task: which.
        ids: ``[row, token]``: a row an example; of a ranking one a candidate, those of a query
            together and the right one first.
        segments: 0 up to the first separator, 1 after it, ``[row, token]``.
        keep: boolean, False at padding, ``[row, token]``.
        labels: classes or scores, ``[example]``; of a ranking 0, the right one's place.
        candidates: boolean, False where a query has fewer, ``[example, candidate]``; ``None`` for
            any other task.
    """

    task: TaskConfig
    ids: Tensor
    segments: Tensor
    keep: Tensor
    labels: Tensor
    candidates: Tensor | None

    @property
    def tokens(self) -> int:
        """Tokens the model reads, padding included."""
        return self.ids.numel()


class LabelledTasks(SummedObjective[Mtdnn, TaskBatch]):
    """Mini-batches and losses of MT-DNN.

    Each task's examples are packed into mini-batches once; every epoch goes through all
    mini-batches of all tasks in an order of its own. Both come from one seed, which is drawn at the
    start, so that a step has the same mini-batch whenever a run is resumed.

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
    ) -> None:
        """Prepare.

        Args:
            tasks: with the heads' configurations and the examples.
            generator: source of all chance, on the model's device.
            tokens: about how many a mini-batch holds, padding included; at least one example.
            padding_id: what stands after the texts.
        """
        self.device = generator.device
        self.padding_id = padding_id
        self._seed = int(torch.randint(1 << 62, (), generator=generator, device=self.device))
        self._tables = {task.config.name: _Table.of(task) for task in tasks}
        chance = torch.Generator().manual_seed(self._seed)
        self._packed = {
            name: pack(len(table.examples), max(1, tokens // table.size), chance)
            for name, table in self._tables.items()
        }
        self._count = sum(map(len, self._packed.values()))
        self._epoch, self._order = -1, list[tuple[str, int]]()

    @property
    def mini_batches(self) -> int:
        """How many an epoch has, of all tasks together."""
        return self._count

    def batch(self, step: int) -> TaskBatch:
        """The mini-batch of a step; it depends on nothing but the step and the seed."""
        epoch, place = divmod(step, self._count)
        if epoch != self._epoch:
            chance = torch.Generator().manual_seed(self._seed + 1 + epoch)
            counts = {name: len(packed) for name, packed in self._packed.items()}
            self._epoch, self._order = epoch, merged_epoch(counts, chance)
        name, number = self._order[place]
        return self._batch(name, self._packed[name][number])

    def shapes(self) -> list[TaskBatch]:
        """A full mini-batch of every task, and its last one where that is smaller."""
        return [
            self._batch(name, one)
            for name, packed in self._packed.items()
            for one in {len(chosen): chosen for chosen in packed}.values()
        ]

    def places(self, batch: TaskBatch) -> dict[str, Tensor]:
        """How many examples the mini-batch has."""
        return {batch.task.name: torch.tensor(float(len(batch.labels)), device=self.device)}

    def terms(self, model: Mtdnn, batch: TaskBatch) -> dict[str, LossSum]:
        """What the task's head gets wrong, added up over the examples."""
        task = batch.task
        found = model.answer(task.name, batch.ids, batch.segments, batch.keep).float()
        return {task.name: task_loss(task.kind, found, batch.labels, batch.candidates)}

    def _batch(self, name: str, chosen: Sequence[int]) -> TaskBatch:
        table = self._tables[name]
        examples = [table.examples[number] for number in chosen]
        # What a query lacks in candidates is one token of padding: attention needs a token.
        nobody = Row(array("i", [self.padding_id]), 1)
        rows = [row for one in examples for row in _filled(one.rows, table.candidates, nobody)]
        ids = torch.full((len(rows), table.width), self.padding_id, dtype=torch.long)
        for place, row in enumerate(rows):
            ids[place, : len(row.ids)] = torch.frombuffer(row.ids, dtype=torch.int32)
        column = torch.arange(table.width)
        keep = column < torch.tensor([len(row.ids) for row in rows])[:, None]
        second = (column >= torch.tensor([row.first for row in rows])[:, None]) & keep
        labels = torch.tensor([one.label for one in examples])
        candidates = None
        if table.config.kind is TaskKind.RANKING:
            sizes = torch.tensor([len(one.rows) for one in examples])
            candidates = (torch.arange(table.candidates) < sizes[:, None]).to(self.device)
        if table.config.kind is not TaskKind.SIMILARITY:
            labels = labels.long()
        return TaskBatch(
            table.config,
            ids.to(self.device),
            second.long().to(self.device),
            keep.to(self.device),
            labels.to(self.device),
            candidates,
        )


def task_loss(
    kind: TaskKind, found: Tensor, labels: Tensor, candidates: Tensor | None = None
) -> LossSum:
    """The loss of one task, over examples.

    Classes: nats of the right one. Similarity: the squared distance. Ranking: nats of the right
    candidate among all of its query. Source: Liu et al. 2019, section 3.1.

    Args:
        kind: of the task.
        found: by its head, as ``core.models.task_heads`` describes it.
        labels: ``[example]``; a ranking needs none, its right candidates come first.
        candidates: boolean ``[example, candidate]``, for a ranking.
    """
    examples = torch.tensor(float(len(labels)), device=found.device)
    match kind:
        case TaskKind.SIMILARITY:
            total = functional.mse_loss(found, labels, reduction="sum")
        case TaskKind.RANKING:
            assert candidates is not None
            scores = found.view(candidates.shape)
            total = -candidate_log_probabilities(scores, candidates)[:, 0].sum()
        case _:
            # The answer network's logarithms stay what they are in another softmax.
            return token_loss(found, labels)
    return LossSum(total, examples)


@dataclass(frozen=True)
class _Table:
    # The examples of a task, and the shape that all of them fit into.
    config: TaskConfig
    examples: tuple[Example, ...]
    candidates: int
    width: int

    @classmethod
    def of(cls, task: LabelledTask) -> _Table:
        candidates = max(len(example.rows) for example in task.examples)
        longest = max(len(row.ids) for example in task.examples for row in example.rows)
        return cls(task.config, task.examples, candidates, -(-longest // _WIDTHS) * _WIDTHS)

    @property
    def size(self) -> int:
        # Tokens of an example.
        return self.candidates * self.width


def _filled(rows: Sequence[Row], count: int, nobody: Row) -> list[Row]:
    return [*rows, *[nobody] * (count - len(rows))]
