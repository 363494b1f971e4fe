"""A tiny T5."""

from core.config import ModelConfig
from core.models.architectures.t5 import t5_config
from core.tokenisation import Tokenizer
from tests.tiny_checkpoints.vocabularies import SIZES, with_blanks


def _t5(tokenizer: Tokenizer) -> ModelConfig:
    return t5_config(
        vocabulary=tokenizer.vocabulary_size,
        head_size=8,
        start_id=tokenizer.pad_id,
        **SIZES,
    )


CHECKPOINTS = {
    "t5": (with_blanks, _t5),
}
