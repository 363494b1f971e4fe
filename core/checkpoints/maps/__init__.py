"""One file a family: its settings and the names of its tensors."""

from core.checkpoints.errors import ForeignFamilyError, SettingError, shown
from core.checkpoints.family import SYSTEM_KEY, Family
from core.checkpoints.hf_config import Json
from core.checkpoints.maps.albert import ALBERT
from core.checkpoints.maps.bert import BERT
from core.checkpoints.maps.bert_bodies import MTDNN, SPANBERT, STRUCTBERT
from core.checkpoints.maps.distilbert import DISTILBERT
from core.checkpoints.maps.electra import ELECTRA
from core.checkpoints.maps.gpt import GPT1, GPT2
from core.checkpoints.maps.roberta import ROBERTA
from core.checkpoints.maps.seq2seq import SEQ2SEQ
from core.checkpoints.maps.t5 import T5
from core.checkpoints.maps.transformer import TRANSFORMER
from core.checkpoints.maps.xlnet import XLNET
from core.errors import UnknownSystemError

FAMILIES: tuple[Family, ...] = (
    BERT,
    ROBERTA,
    ALBERT,
    DISTILBERT,
    ELECTRA,
    GPT2,
    GPT1,
    T5,
    TRANSFORMER,
    XLNET,
    SEQ2SEQ,
    SPANBERT,
    STRUCTBERT,
    MTDNN,
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
    """The family of one of our systems.

    Raises:
        UnknownSystemError: it has none.
    """
    for family in FAMILIES:
        if family.system == system:
            return family
    raise UnknownSystemError(system, [family.system for family in FAMILIES])
