"""What one family of checkpoints is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.hugging_face.keys import KeyRules
from core.hugging_face.settings import ConfigTable, Json

SYSTEM_KEY = "headlight_system"  # transformers does not look at it


@dataclass(frozen=True)
class Family:
    """A system of ours with its files there.

    Attributes:
        system: name in ``core.models.registry``.
        model_type: name in ``config.json``.
        table: the settings.
        keys: the names of the tensors, by the settings in ``config.json``.
        marked: whether ``config.json`` also names the system, under ``SYSTEM_KEY``, since another
            one has the same ``model_type``.
    """

    system: str
    model_type: str
    table: ConfigTable
    keys: Callable[[Json], KeyRules]
    marked: bool = False
