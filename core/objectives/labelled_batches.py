"""Examples of a labelled task as mini-batches of a few shapes."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor

from core.objectives.labelled_files import Example, LabelledTask, Row
from core.objectives.losses import IGNORED
from core.objectives.multitask import pack
from core.task_config import TaskConfig, TaskKind

_NARROWEST = 16  # tokens; widths are this times a power of two, so that few shapes are compiled


@dataclass(frozen=True)
class TaskBatch:
    """Examples of one task.

    Attributes:
        task: which.
        ids: ``[row, token]``: a row an example; of a ranking one a candidate, those of a query
            together and the right one first.
        segments: 0 up to the first separator, 1 after it, ``[row, token]``.
        keep: boolean, False at padding, ``[row, token]``.
        labels: classes or scores, ``[example]``; of a ranking 0, the right one's index.
        real: boolean, False where there is no example, ``[example]``.
        candidates: boolean, False where a query has fewer, ``[example, candidate]``; ``None`` for
            any other task.
    """

    task: TaskConfig
    ids: Tensor
    segments: Tensor
    keep: Tensor
    labels: Tensor
    real: Tensor
    candidates: Tensor | None

    @property
    def tokens(self) -> int:
        """Tokens the model reads, padding included."""
        return self.ids.numel()


@dataclass(frozen=True)
class _Bucket:
    width: int
    # Numbers of examples, [mini-batch, example]; already on the device, which need not wait then.
    numbers: Tensor


class TaskBatches:
    """All examples of a task on a device, and the mini-batches they are packed into.

    Examples of about one length come together. The longest ones fill mini-batches of the width
    they need, with shorter ones to make the last of these full; then the longest of the others, and
    so on. Only of the narrowest mini-batches the last may have room left, where nothing stands: all
    of one width have one shape.
    """

    def __init__(
        self,
        task: LabelledTask,
        generator: torch.Generator,
        *,
        tokens: int,
        padding_id: int,
        device: torch.device,
    ) -> None:
        """Pack.

        Args:
            task: with at least one example.
            generator: of all random draws, on the CPU.
            tokens: about how many a mini-batch holds, padding included; at least one example.
            padding_id: what stands after the texts.
            device: of the batches.
        """
        self.task = task.config
        self.padding_id = padding_id
        self.examples = len(task.examples)
        self._most = max(len(example.rows) for example in task.examples)
        # What a query lacks in candidates is one token of padding: attention needs a token.
        nobody = Row(array("i", [padding_id]), 1)
        rows = [row for example in task.examples for row in example.rows] + [nobody]
        ends = list(accumulate(len(row.ids) for row in rows))
        flat = array("i", b"".join(row.ids.tobytes() for row in rows))
        self._flat = torch.tensor(flat, dtype=torch.long, device=device)
        self._starts = torch.tensor([0, *ends[:-1]], device=device)
        self._sizes = torch.tensor([len(row.ids) for row in rows], device=device)
        self._firsts = torch.tensor([row.first for row in rows], device=device)
        counts = [len(example.rows) for example in task.examples]
        self._counts = torch.tensor([*counts, 0], device=device)
        self._first_rows = torch.tensor([0, *accumulate(counts)], device=device)
        labels = torch.tensor([example.label for example in task.examples] + [0.0], device=device)
        self._labels = labels
        if self.task.kind is not TaskKind.SIMILARITY:
            self._labels = labels.long()
        self._buckets = self._packed(task.examples, tokens, generator)
        self._indices = [
            (bucket, number)
            for bucket, one in enumerate(self._buckets)
            for number in range(len(one.numbers))
        ]

    def __len__(self) -> int:
        """How many mini-batches there are."""
        return len(self._indices)

    def __getitem__(self, number: int) -> TaskBatch:
        """One of them."""
        bucket, index = self._indices[number]
        return self._batch(self._buckets[bucket], index)

    def shapes(self) -> list[TaskBatch]:
        """A mini-batch of every width."""
        return [self._batch(bucket, 0) for bucket in self._buckets]

    def _packed(
        self, examples: Sequence[Example], tokens: int, generator: torch.Generator
    ) -> list[_Bucket]:
        sizes = [max(len(row.ids) for row in example.rows) for example in examples]
        order = sorted(range(len(sizes)), key=lambda number: -sizes[number])
        buckets = []
        while order:
            width = _width(sizes[order[0]])
            full = max(1, tokens // (width * self._most))
            own = sum(_width(sizes[number]) == width for number in order)
            taken = order[: -(-own // full) * full]
            order = order[len(taken) :]
            count = -(-len(taken) // full)
            size = -(-len(taken) // count)
            numbers = [
                [taken[index] for index in indices] + [len(examples)] * (size - len(indices))
                for indices in pack(len(taken), size, generator)
            ]
            buckets.append(_Bucket(width, torch.tensor(numbers, device=self._flat.device)))
        return buckets

    def _batch(self, bucket: _Bucket, index: int) -> TaskBatch:
        device, numbers = self._flat.device, bucket.numbers[index]
        candidate = torch.arange(self._most, device=device)
        there = candidate < self._counts[numbers][:, None]  # [example, candidate]
        rows = self._first_rows[numbers][:, None] + candidate
        rows = torch.where(there, rows, len(self._starts) - 1).flatten()
        column = torch.arange(bucket.width, device=device)
        keep = column < self._sizes[rows][:, None]
        source = (self._starts[rows][:, None] + column).clamp(max=len(self._flat) - 1)
        real = numbers < self.examples
        labels = self._labels[numbers]
        if self.task.kind is not TaskKind.SIMILARITY:
            labels = labels.masked_fill(~real, IGNORED)
        return TaskBatch(
            self.task,
            ids=torch.where(keep, self._flat[source], self.padding_id),
            segments=((column >= self._firsts[rows][:, None]) & keep).long(),
            keep=keep,
            labels=labels,
            real=real,
            candidates=there if self.task.kind is TaskKind.RANKING else None,
        )


def _width(tokens: int) -> int:
    width = _NARROWEST
    while width < tokens:
        width *= 2
    return width
