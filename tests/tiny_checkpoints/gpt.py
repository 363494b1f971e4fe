"""A tiny GPT."""

from core.config import ModelConfig
from core.models.architectures.gpt import gpt_config
from core.tokenisation import Tokenizer
from tests.tiny_checkpoints.vocabularies import SIZES, continuing


def _gpt(tokenizer: Tokenizer) -> ModelConfig:
    return gpt_config(vocabulary=tokenizer.vocabulary_size, max_positions=512, **SIZES)


CHECKPOINTS = {
    "gpt": (continuing, _gpt),
}
