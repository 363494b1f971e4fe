"""MT-DNN: one BERT for many labelled tasks, each with a head of its own.

Liu, He, Chen and Gao 2019, "Multi-Task Deep Neural Networks for Natural Language Understanding".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor

from core.config import ModelConfig
from core.errors import MissingHeadError
from core.models.architectures.bert import Bert, bert_config
from core.models.body import Inputs
from core.models.task_heads import Encoded, TaskHeads
from core.task_config import TaskConfig


def mtdnn_config(
    *, vocabulary: int, tasks: tuple[TaskConfig, ...] = (), pooler: bool = True, **settings: Any
) -> ModelConfig:
    """An MT-DNN of the given size; the defaults are BERT-base without BERT's own heads.

    Args:
        tasks: what it answers.
        pooler: whether to build the pooler; the tasks need it.
        settings: further arguments of :func:`bert_config`.

    Raises:
        ConfigError: two tasks have one name, or as in :func:`bert_config`.
    """
    settings = {"predicts": (), **settings}
    config = bert_config(vocabulary=vocabulary, pooler=pooler, **settings)
    return replace(config, system="mtdnn", tasks=tasks)


class Mtdnn(Bert):
    """The shared BERT with its tasks' heads. Without a task it runs as any BERT.

    As in the released code, the x of the paper's equations is the pooler's summary.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.tasks = TaskHeads(config.tasks, config.embedding.width)

    def answer(
        self, task: str, ids: Tensor, segments: Tensor | None = None, keep: Tensor | None = None
    ) -> Tensor:
        """Encode, and let one task's head judge.

        Args:
            task: its name; a batch is about one task.
            ids: and the others as in :meth:`EncoderBody.encode`.

        Returns:
            What the head gives: see :mod:`core.models.task_heads`.

        Raises:
            UnknownTaskError: there is no such task.
            MissingHeadError: the model has no pooler.
            MissingPairError: the task reads two texts and there are no segments.
            SequenceTooLongError: more tokens than positions.
        """
        return self.answer_tasks(Inputs(ids, segments, keep), [task])[task]

    def answer_tasks(self, inputs: Inputs, tasks: Sequence[str]) -> dict[str, Tensor]:
        """Encode once, and let the heads of several tasks judge; errors as in :meth:`answer`."""
        hidden = self.encode(inputs.ids, inputs.segments, inputs.keep)
        if self.pooler is None:
            raise MissingHeadError("labelled tasks")
        encoded = Encoded(hidden, self.pooler(hidden), inputs.segments, inputs.keep)
        return {task: self.tasks.answer(task, encoded) for task in tasks}
