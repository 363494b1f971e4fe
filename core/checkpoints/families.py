"""Which family a ``config.json`` belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import UnknownSystemError
from core.hugging_face.errors import ForeignFamilyError, SettingError, shown
from core.hugging_face.family import SYSTEM_KEY, Family
from core.hugging_face.settings import Json
from core.models.registry import SYSTEMS

if TYPE_CHECKING:
    from core.checkpoints.files import Folder

FAMILIES: tuple[Family, ...] = tuple(
    family for system in SYSTEMS.values() for family in (system.family, *system.relatives)
)


def read_settings(folder: Folder) -> tuple[Family, Json]:
    """The family of a folder, and its settings with what transformers adds to them.

    Raises:
        NotACheckpointError: there is no ``config.json``.
        SettingError, ForeignFamilyError: as :func:`family_of_settings`; weights are quantised.
    """
    settings = folder.settings()
    family = family_of_settings(settings)
    return family, family.table.completed(settings)


def family_of_settings(settings: Json) -> Family:
    """The family that a ``config.json`` names in ``model_type``.

    Some systems are another one with something beside it: their files have its ``model_type``, so
    that transformers opens them as such, and name the system in ``headlight_system``. A file
    without ``model_type`` names one of a family's classes in ``architectures``.

    Raises:
        SettingError: it names neither, or a system that has another ``model_type``.
        ForeignFamilyError: it names one that does not exist here.
    """
    model_type = settings.get("model_type") or _type_of_classes(settings.get("architectures"))
    if model_type is None:
        raise SettingError("model_type", "is missing, and architectures names no known class")
    of_type = [family for family in FAMILIES if family.model_type == model_type]
    wanted = settings.get(SYSTEM_KEY)
    for family in of_type:
        if family.system == wanted or (wanted is None and not family.marked):
            return family
    if of_type:
        names = ", ".join(family.system for family in of_type)
        raise SettingError(SYSTEM_KEY, f"is {shown(wanted)}, not one of {names}")
    known = list(dict.fromkeys(family.model_type for family in FAMILIES))
    raise ForeignFamilyError(str(model_type), known)


def _type_of_classes(classes: object) -> str | None:
    """The ``model_type`` of which all the classes are, if there is one."""
    if not isinstance(classes, list) or not classes:
        return None
    for family in FAMILIES:
        if all(isinstance(name, str) and name in family.table.architectures for name in classes):
            return family.model_type
    return None


def family_of_system(system: str) -> Family:
    """The family of one of our systems, the first of several.

    Raises:
        UnknownSystemError: it has none.
    """
    for family in FAMILIES:
        if family.system == system:
            return family
    raise UnknownSystemError(system, [family.system for family in FAMILIES])
