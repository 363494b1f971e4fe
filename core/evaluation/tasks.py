"""Held-out figures of an MT-DNN: each labelled task from a file of its own, and hidden words."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import torch
from torch import Tensor

from core.checkpoints import Checkpoint
from core.errors import ConfigError, UnknownTaskError
from core.evaluation.encoders import evaluate_encoder
from core.evaluation.options import Figures, Options
from core.evaluation.replaced import area_under_curve
from core.models.architectures.mtdnn import Mtdnn
from core.models.blocks.attention import fused_attention
from core.objectives.labelled_batches import TaskBatch, TaskBatches
from core.objectives.labelled_files import FileKind, LabelledTask, TaskFile, read_tasks
from core.task_config import TaskConfig, TaskKind

_KINDS = {
    TaskKind.CLASSES: FileKind.SINGLE,
    TaskKind.ANSWER_NETWORK: FileKind.PAIR,
    TaskKind.SIMILARITY: FileKind.SIMILARITY,
    TaskKind.RANKING: FileKind.RANKING,
}
_TOKENS = 4096  # of a mini-batch


def evaluate_tasks(checkpoint: Checkpoint, options: Options) -> Figures:
    """Every task that a file is given for; with a text, hidden words too.

    A figure is named by its task: ``mood_accuracy``. Classes: ``accuracy``, and ``majority``, what
    naming the most frequent class always would give. Similarity: ``pearson``, ``spearman``, and
    ``auc`` where there are two scores. Ranking: ``accuracy_at_1``, ``chance_at_1`` and
    ``mean_reciprocal_rank``. All: ``examples``. A tie is no right answer, and goes before the right
    one in a ranking.

    Raises:
        ConfigError: there is nothing to measure on, or a number is out of its range.
        UnknownTaskError: the model has no such task.
        MissingHeadError: a text is given, and the model has no head for hidden words.
        core.training.corpora.CorpusError: a file cannot be read, or a line is no example.
    """
    if options.judged < 0:
        raise ConfigError(f"the number of examples must not be negative: {options.judged}")
    files = options.tasks if options.judged else {}
    if not files and options.text is None:
        raise ConfigError("labelled tasks need --task NAME=FILE, and hidden words --text")
    began = time.monotonic()
    tasks = {task.name: task for task in checkpoint.config.tasks}
    for name in files:
        if name not in tasks:
            raise UnknownTaskError(name, tuple(tasks))
    figures: Figures = {}
    for name, path in files.items():
        found = _answers(checkpoint, tasks[name], path, options)
        figures |= {f"{name}_{key}": value for key, value in found.figures().items()}
    if options.text is not None:
        figures |= evaluate_encoder(checkpoint, options)
    return figures | {"seconds": time.monotonic() - began}


@dataclass(frozen=True)
class Answers:
    """What a task's head said about its examples.

    Attributes:
        kind: of the task.
        found: of classes one number each, ``[example, class]``; of a similarity ``[example]``; of
            a ranking ``[example, candidate]``, the right one first, minus infinity for none.
        labels: classes or scores, ``[example]``.
    """

    kind: TaskKind
    found: Tensor
    labels: Tensor

    def figures(self) -> Figures:
        """By name; see :func:`evaluate_tasks`."""
        count = {"examples": len(self.labels)}
        match self.kind:
            case TaskKind.SIMILARITY:
                return self._alike() | count
            case TaskKind.RANKING:
                rank = _ranks_of_right(self.found, torch.zeros_like(self.labels).long())
                candidates = self.found.isfinite().sum(1)
                return {
                    "accuracy_at_1": _share(rank == 1),
                    "chance_at_1": float((1.0 / candidates).mean()),
                    "mean_reciprocal_rank": float((1.0 / rank).mean()),
                } | count
            case _:
                labels = self.labels.long()
                most = int(labels.bincount().max())
                right = _share(_ranks_of_right(self.found, labels) == 1)
                return {"accuracy": right, "majority": most / len(labels)} | count

    def _alike(self) -> Figures:
        scores = self.labels.unique()
        auc = area_under_curve(self.found, self.labels == scores[-1]) if len(scores) == 2 else None
        return {
            "pearson": correlation(self.found, self.labels),
            "spearman": correlation(_ranks(self.found), _ranks(self.labels)),
            "auc": auc,
        }


@torch.inference_mode()
def _answers(checkpoint: Checkpoint, task: TaskConfig, path: Path, options: Options) -> Answers:
    if task.kind not in _KINDS:
        raise ConfigError(f"nothing is measured for tasks of the kind {task.kind.value}")
    file = TaskFile(task.name, _KINDS[task.kind], path)
    limit = min(512, checkpoint.config.embedding.max_positions)
    (read,) = read_tasks([file], checkpoint.tokenizer, limit=limit, known=[task])
    generator = torch.Generator().manual_seed(options.seed)
    chosen = torch.randperm(len(read.examples), generator=generator)[: options.judged].tolist()
    some = LabelledTask(task, tuple(read.examples[number] for number in sorted(chosen)))
    model = cast(Mtdnn, checkpoint.model)
    batches = TaskBatches(
        some,
        generator,
        tokens=_TOKENS,
        padding_id=checkpoint.tokenizer.pad_id,
        device=next(model.parameters()).device,
    )
    with fused_attention():
        parts = [_of_batch(model, batches[number]) for number in range(len(batches))]
    found, labels = (torch.cat(part) for part in zip(*parts, strict=True))
    return Answers(task.kind, found, labels)


def _of_batch(model: Mtdnn, batch: TaskBatch) -> tuple[Tensor, Tensor]:
    found = model.answer(batch.task.name, batch.ids, batch.segments, batch.keep).float()
    if batch.candidates is not None:
        found = found.view(batch.candidates.shape).masked_fill(~batch.candidates, -torch.inf)
    return found[batch.real].cpu(), batch.labels[batch.real].cpu()


def _ranks_of_right(found: Tensor, right: Tensor) -> Tensor:
    # From 1; behind all that score as well, or no number.
    return (~(found < found.gather(1, right[:, None]))).sum(1)


def _share(right: Tensor) -> float:
    return float(right.float().mean())


def correlation(first: Tensor, second: Tensor) -> float | None:
    """Pearson's correlation of two rows of numbers; ``None`` where one of them never changes."""
    one, other = (row.double() - row.double().mean() for row in (first, second))
    norms = one.norm() * other.norm()
    return float((one * other).sum() / norms) if norms > 0 else None


def _ranks(values: Tensor) -> Tensor:
    # Of equal values the mean of their ranks.
    _, index, count = values.unique(return_inverse=True, return_counts=True)
    return (count.cumsum(0).double() - (count - 1) / 2)[index]
