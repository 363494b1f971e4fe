"""MT-DNN: one BERT for many labelled tasks, each with a head of its own.

Liu, He, Chen and Gao 2019, "Multi-Task Deep Neural Networks for Natural Language Understanding".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from torch import Tensor

from core.config import ModelConfig
from core.errors import ConfigError, MissingHeadError
from core.hugging_face.keys import Rename
from core.hugging_face.limits import MAX_WIDTH
from core.hugging_face.settings import Setting, ValueType, whole_number
from core.models.architectures.bert import Bert, bert_config, beside_bert
from core.models.body import Inputs
from core.models.recipe import Recipe, like_bert
from core.models.system import System
from core.models.task_heads import Encoded, TaskHeads
from core.task_config import TaskConfig, TaskKind

if TYPE_CHECKING:
    from core.objectives.objective import SummedObjective
    from core.training.material import Material


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


_MAX_TASKS = 100
_MAX_STEPS = 100


def _read_task(value: Any) -> TaskConfig:
    if not isinstance(value, dict) or not {"name", "kind"} <= value.keys():
        raise ValueError
    values = {**value, "kind": TaskKind(value["kind"])}
    for name, limit in (("classes", MAX_WIDTH), ("steps", _MAX_STEPS)):
        if name in values and whole_number(values[name]) > limit:
            raise ValueError
    if "labels" in values:
        labels = values["labels"]
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            raise ValueError
        values["labels"] = tuple(labels)
    try:
        return TaskConfig(**values)
    except (ConfigError, TypeError) as error:
        raise ValueError from error


def _read_tasks(value: Any) -> tuple[TaskConfig, ...]:
    if not isinstance(value, list) or len(value) > _MAX_TASKS:
        raise ValueError
    return tuple(map(_read_task, value))


def _write_task(task: TaskConfig) -> dict[str, Any]:
    return {
        "name": task.name,
        "kind": task.kind.value,
        "classes": task.classes,
        "steps": task.steps,
        "dropout": task.dropout,
        "step_dropout": task.step_dropout,
        "labels": list(task.labels),
    }


_TASKS = ValueType(
    f"a list of at most {_MAX_TASKS} tasks, each with a name and one of the kinds"
    f" {', '.join(kind.value for kind in TaskKind)}",
    _read_tasks,
    lambda tasks: [_write_task(task) for task in tasks],
)

MTDNN = beside_bert(
    "mtdnn",
    mtdnn_config,
    settings=(Setting("headlight_tasks", "tasks", "tasks", _TASKS),),
    rules=(Rename("tasks", "tasks"),),
)


def _task(material: Material) -> SummedObjective[Any, Any]:
    from core.objectives.bert_pretraining import BertPretraining
    from core.objectives.labelled_tasks import LabelledTasks, WordsBeside
    from core.training.material import TasksAndText

    tasks, words = material.data, None
    if isinstance(tasks, TasksAndText):
        text = replace(material, data=tasks.corpus)
        words = WordsBeside(BertPretraining(**text.hidden_words(None)), tasks.share)
        tasks = tasks.tasks
    assert isinstance(tasks, tuple)
    return LabelledTasks(
        tasks,
        material.generator,
        tokens=material.tokens,
        padding_id=material.tokenizer.pad_id,
        words=words,
    )


SYSTEMS = (
    System(
        "MT-DNN",
        2019,
        "Liu et al. 2019, “Multi-Task Deep Neural Networks for Natural Language Understanding”",
        Mtdnn,
        MTDNN,
        (Recipe("multitask", like_bert(mtdnn_config), _task, segments=2, labelled=True),),
    ),
)
