"""Tiny translators."""

from core.config import ModelConfig
from core.models.architectures.seq2seq import seq2seq_config
from core.models.architectures.transformer import transformer_config
from core.tokenisation import Tokenizer
from tests.tiny_checkpoints.vocabularies import SIZES, german_only, two_languages


def _transformer(tokenizer: Tokenizer) -> ModelConfig:
    return transformer_config(
        vocabulary=tokenizer.vocabulary_size, start_id=tokenizer.pad_id, **SIZES
    )


def _seq2seq(tokenizer: Tokenizer) -> ModelConfig:
    return seq2seq_config(
        vocabulary=tokenizer.vocabulary_size,
        embedding_width=16,
        width=16,
        decoder_width=16,
        alignment_width=16,
        start_id=tokenizer.pad_id,
        padding_id=tokenizer.pad_id,
    )


CHECKPOINTS = {
    "transformer": (two_languages, _transformer),
    "seq2seq": (german_only, _seq2seq),
}
