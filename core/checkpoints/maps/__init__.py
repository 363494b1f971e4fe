"""One file a family: its settings and the names of its tensors."""

from core.checkpoints.errors import ForeignFamilyError, SettingError
from core.checkpoints.family import Family
from core.checkpoints.hf_config import Json
from core.checkpoints.maps.albert import ALBERT
from core.checkpoints.maps.bert import BERT
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
)


def family_of_settings(settings: Json) -> Family:
    """The family that a ``config.json`` names in ``model_type``.

    Raises:
        SettingError: it names none.
        ForeignFamilyError: it names one that does not exist here.
    """
    if "model_type" not in settings:
        raise SettingError("model_type", "is missing")
    for family in FAMILIES:
        if family.model_type == settings["model_type"]:
            return family
    known = [family.model_type for family in FAMILIES]
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
