"""A tiny XLNet."""

from core.config import ModelConfig
from core.models.architectures.xlnet import xlnet_config
from core.tokenisation import Tokenizer
from tests.tiny_checkpoints.vocabularies import SIZES, permuted


def _xlnet(tokenizer: Tokenizer) -> ModelConfig:
    return xlnet_config(vocabulary=tokenizer.vocabulary_size, **SIZES)


CHECKPOINTS = {
    "xlnet": (permuted, _xlnet),
}
