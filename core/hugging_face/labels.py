"""What ``config.json`` says of the labels of a fine-tuned model, to and from ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.config import LabelChoice, LabelConfig
from core.hugging_face.errors import SettingError, TooLargeError, shown
from core.hugging_face.limits import MAX_LABEL_CHARACTERS, MAX_LABELS

_CHOICES = {
    "single_label_classification": LabelChoice.ONE,
    "multi_label_classification": LabelChoice.SEVERAL,
    "regression": LabelChoice.NUMBER,
}


def read_labels(settings: Mapping[str, Any]) -> LabelConfig:
    """The labels, as transformers reads them: two without a name where the file is silent.

    Raises:
        SettingError: numbers that leave a gap, names that are none, an unknown type of problem.
        TooLargeError: more labels than the limit.
    """
    names = _names(settings)
    problem = settings.get("problem_type")
    if problem is None:
        return LabelConfig(names, LabelChoice.SEVERAL if len(names) == 1 else LabelChoice.ONE)
    if not isinstance(problem, str) or problem not in _CHOICES:
        known = ", ".join(_CHOICES)
        raise SettingError("problem_type", f"is {shown(problem)}, not one of {known}")
    return LabelConfig(names, _CHOICES[problem])


def write_labels(labels: LabelConfig) -> dict[str, Any]:
    """The settings that :func:`read_labels` reads."""
    problem = next(name for name, choice in _CHOICES.items() if choice is labels.choice)
    return {
        "id2label": {str(number): name for number, name in enumerate(labels.names)},
        "label2id": {name: number for number, name in enumerate(labels.names)},
        "problem_type": problem,
    }


def _names(settings: Mapping[str, Any]) -> tuple[str, ...]:
    table = settings.get("id2label")
    if table is None:
        count = settings.get("num_labels", 2)
        if type(count) is not int or count < 1:
            raise SettingError("num_labels", f"should be at least 1, not {shown(count)}")
        if count > MAX_LABELS:
            raise TooLargeError("num_labels", count, MAX_LABELS)
        return tuple(f"LABEL_{number}" for number in range(count))
    if not isinstance(table, dict) or not table:
        raise SettingError("id2label", f"should be a table of labels, not {shown(table)}")
    if len(table) > MAX_LABELS:
        raise TooLargeError("id2label", len(table), MAX_LABELS)
    wanted = [str(number) for number in range(len(table))]
    if sorted(table) != sorted(wanted):
        raise SettingError("id2label", f"should number its labels from 0 to {len(table) - 1}")
    return tuple(_name(table[number]) for number in wanted)


def _name(value: Any) -> str:
    if not isinstance(value, str | int | float):
        raise SettingError("id2label", f"has {shown(value)}, which is no label")
    return str(value)[:MAX_LABEL_CHARACTERS]
