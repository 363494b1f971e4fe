"""Checkpoints of systems that are a BERT with something of their own beside it.

Their ``config.json`` says ``bert``, so that transformers opens the body like any other, and names
the system under a key that it does not look at. It passes over tensors it does not know.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from core.checkpoints.family import Family
from core.checkpoints.hf_config import Kind, Setting, whole_number
from core.checkpoints.key_rules import KeyRules, Rename
from core.checkpoints.maps.bert import BERT
from core.checkpoints.sizes import MAX_WIDTH
from core.config import Head, ModelConfig
from core.errors import ConfigError
from core.models.architectures.mtdnn import mtdnn_config
from core.models.architectures.spanbert import spanbert_config
from core.models.architectures.structbert import structbert_config
from core.task_config import TaskConfig, TaskKind

_MAX_TASKS = 100
_MAX_STEPS = 100


def _body(
    system: str,
    build: Callable[..., ModelConfig],
    *,
    extra_heads: tuple[Head, ...] = (),
    settings: tuple[Setting, ...] = (),
    rules: tuple[Rename, ...] = (),
) -> Family:
    plain = BERT.keys({})
    keys = KeyRules(plain.body, (*plain.rules, *rules), plain.old_endings)
    table = replace(
        BERT.table,
        build=build,
        settings=(*BERT.table.settings, *settings),
        extra_heads=extra_heads,
    )
    return Family(system, BERT.model_type, table, lambda _settings: keys, marked=True)


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


_TASKS = Kind(
    f"a list of at most {_MAX_TASKS} tasks, each with a name and one of the kinds"
    f" {', '.join(kind.value for kind in TaskKind)}",
    _read_tasks,
    lambda tasks: [_write_task(task) for task in tasks],
)

SPANBERT = _body(
    "spanbert",
    spanbert_config,
    extra_heads=(Head.SPAN_BOUNDARY,),
    rules=tuple(
        Rename(f"cls.span_boundary.{part}", f"span_boundary.{part}")
        for part in ("position_table", "first", "first_norm", "second", "second_norm", "bias")
    ),
)

STRUCTBERT = _body(
    "structbert",
    structbert_config,
    extra_heads=(Head.SENTENCE_STRUCTURE,),
    rules=(Rename("cls.sentence_structure", "sentence_structure.dense"),),
)

MTDNN = _body(
    "mtdnn",
    mtdnn_config,
    settings=(Setting("headlight_tasks", "tasks", "tasks", _TASKS),),
    rules=(Rename("tasks", "tasks"),),
)
