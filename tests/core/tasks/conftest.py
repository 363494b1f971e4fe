"""Tiny models of every kind that attends, with random weights."""

from typing import Any

import pytest
import torch
from torch import nn

from core.checkpoints import Checkpoint
from core.models.architectures.gpt import gpt_config
from core.models.architectures.t5 import t5_config
from core.models.architectures.transformer import transformer_config
from core.models.architectures.xlnet import xlnet_config
from core.models.blocks.relative_attention import RelativeAttention
from core.tokenisation import Tokenizer
from core.tokenisation.blanks import size_tokens
from core.tokenisation.training import (
    GPT_FRAME,
    T5_FRAME,
    XLNET_FRAME,
    Frame,
    VocabularyKind,
    sentinels,
    train_tokenizer,
)
from tests.core.decoding.conftest import checkpoint_of

TEXT = "The cat sat on the mat."
SENTENCES = (TEXT, "A dog ran to the sea and sat there.", "Who wrote the letter? Nobody knows.") * 6
SIZES: dict[str, Any] = {"layers": 3, "heads": 4, "width": 32}


def tokenizer_of(kind: VocabularyKind, frame: Frame, size: int, *further: str) -> Tokenizer:
    return train_tokenizer(kind, SENTENCES, size, frame=frame, further=further)


@pytest.fixture(scope="module")
def byte_pairs() -> Tokenizer:
    return tokenizer_of(VocabularyKind.BYTE_LEVEL_BPE, GPT_FRAME, 300)


@pytest.fixture(scope="module")
def gpt(byte_pairs: Tokenizer) -> Checkpoint:
    sizes = {**SIZES, "max_positions": 24, "initial_deviation": 0.3}
    return checkpoint_of(gpt_config(vocabulary=byte_pairs.vocabulary_size, **sizes), byte_pairs)


@pytest.fixture(scope="module")
def xlnet() -> Checkpoint:
    tokenizer = tokenizer_of(VocabularyKind.UNIGRAM, XLNET_FRAME, 80)
    sizes = {**SIZES, "feed_forward": 64, "initial_deviation": 0.3}
    return checkpoint_of(xlnet_config(vocabulary=tokenizer.vocabulary_size, **sizes), tokenizer)


@pytest.fixture(scope="module")
def t5() -> Checkpoint:
    tokenizer = tokenizer_of(
        VocabularyKind.UNIGRAM, T5_FRAME, 160, *size_tokens(range(1, 5)), *sentinels(9)
    )
    sizes: dict[str, Any] = {"layers": 2, "decoder_layers": 3, "heads": 4, "head_size": 6}
    config = t5_config(
        # As in the released ones, more rows than there are pieces.
        vocabulary=tokenizer.vocabulary_size + 40,
        width=32,
        feed_forward=64,
        max_positions=90,
        **sizes,
    )
    return checkpoint_of(config, tokenizer)


@pytest.fixture(scope="module")
def unigram() -> Tokenizer:
    return tokenizer_of(VocabularyKind.UNIGRAM, T5_FRAME, 90, ">>de<<", ">>fr<<")


@pytest.fixture(scope="module")
def transformer(unigram: Tokenizer) -> Checkpoint:
    config = transformer_config(
        vocabulary=unigram.vocabulary_size,
        decoder_layers=2,
        feed_forward=64,
        max_positions=40,
        initial_deviation=0.3,
        **SIZES,
    )
    return checkpoint_of(config, unigram)


def asking_nothing(checkpoint: Checkpoint) -> Checkpoint:
    """The same sizes, every query and what is added to it zero: all visible tokens weigh alike."""
    silent = checkpoint_of(checkpoint.config, checkpoint.tokenizer)
    with torch.no_grad():
        for module in silent.model.modules():
            if isinstance(query := getattr(module, "query_projection", None), nn.Linear):
                query.weight.zero_()
                if query.bias is not None:
                    query.bias.zero_()
            if isinstance(module, RelativeAttention):
                for bias in (
                    module.score.content_bias,
                    module.score.position_bias,
                    module.score.segment_bias,
                ):
                    bias.zero_()
    return silent
