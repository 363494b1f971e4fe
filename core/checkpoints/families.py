"""Which family a ``config.json`` belongs to."""

from core.errors import UnknownSystemError
from core.hugging_face.errors import ForeignFamilyError, SettingError, shown
from core.hugging_face.family import SYSTEM_KEY, Family
from core.hugging_face.settings import Json
from core.models.registry import SYSTEMS

FAMILIES: tuple[Family, ...] = tuple(
    family for system in SYSTEMS.values() for family in (system.family, *system.relatives)
)


def family_of_settings(settings: Json) -> Family:
    """The family that a ``config.json`` names in ``model_type``.

    Some systems are another one with something beside it: their files have its ``model_type``, so
    that transformers opens them as such, and name the system in ``headlight_system``.

    Raises:
        SettingError: it names none, or a system that has another ``model_type``.
        ForeignFamilyError: it names one that does not exist here.
    """
    if "model_type" not in settings:
        raise SettingError("model_type", "is missing")
    of_type = [family for family in FAMILIES if family.model_type == settings["model_type"]]
    wanted = settings.get(SYSTEM_KEY)
    for family in of_type:
        if family.system == wanted or (wanted is None and not family.marked):
            return family
    if of_type:
        names = ", ".join(family.system for family in of_type)
        raise SettingError(SYSTEM_KEY, f"is {shown(wanted)}, not one of {names}")
    known = list(dict.fromkeys(family.model_type for family in FAMILIES))
    raise ForeignFamilyError(str(settings["model_type"]), known)


def family_of_system(system: str) -> Family:
    """The family of one of our systems, the first of several.

    Raises:
        UnknownSystemError: it has none.
    """
    for family in FAMILIES:
        if family.system == system:
            return family
    raise UnknownSystemError(system, [family.system for family in FAMILIES])
