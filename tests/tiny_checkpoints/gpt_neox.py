"""A tiny GPT-NeoX."""

from core.config import ModelConfig
from core.models.architectures.gpt_neox import gpt_neox_config
from core.tokenisation import Tokenizer
from tests.tiny_checkpoints.vocabularies import SIZES, continuing


def _gpt_neox(tokenizer: Tokenizer) -> ModelConfig:
    return gpt_neox_config(vocabulary=tokenizer.vocabulary_size, max_positions=512, **SIZES)


CHECKPOINTS = {
    "gpt-neox": (continuing, _gpt_neox),
}
