"""Tiny models that write, with random weights and vocabularies of their own."""

from pathlib import Path
from typing import Any

import pytest
import torch

from core.checkpoints import Checkpoint
from core.config import ModelConfig
from core.models.architectures.gpt import gpt_config
from core.models.architectures.t5 import t5_config
from core.models.architectures.transformer import transformer_config
from core.models.registry import build
from core.tokenisation import Tokenizer
from core.tokenisation.blanks import size_tokens
from core.tokenisation.training import (
    GPT_FRAME,
    T5_FRAME,
    VocabularyKind,
    sentinels,
    train_tokenizer,
)

SENTENCES = (
    "The cat sat on the mat, and the dog (a big one) ran 25 miles to the sea.",
    "Spring comes late in the north; rivers thaw slowly and birds return one by one.",
    "Who wrote this letter? Nobody knows, but its ink is blue and its paper thin!",
    "Seven ships lay in the harbour; their sails were white, their ropes were new.",
)


def checkpoint_of(config: ModelConfig, tokenizer: Tokenizer, seed: int = 7) -> Checkpoint:
    torch.manual_seed(seed)
    return Checkpoint(
        name="tiny",
        folder=Path("tiny"),
        revision=str(seed),
        config=config,
        model=build(config).eval(),
        tokenizer=tokenizer,
        card=None,
        size_bytes=0,
    )


@pytest.fixture(scope="session")
def unigram() -> Tokenizer:
    """As our T5 will have it: digits and punctuation apart, size tokens, a hundred sentinels."""
    return train_tokenizer(
        VocabularyKind.UNIGRAM,
        SENTENCES * 5,
        400,
        frame=T5_FRAME,
        digits_apart=True,
        punctuation_apart=True,
        further=(*size_tokens(), *sentinels(100)),
    )


@pytest.fixture(scope="session")
def tiny_t5(unigram: Tokenizer) -> Checkpoint:
    sizes: Any = {"layers": 1, "heads": 2, "head_size": 8, "width": 16, "feed_forward": 32}
    return checkpoint_of(
        t5_config(vocabulary=unigram.vocabulary_size + 5, **sizes, initial_factor=0.7), unigram
    )


@pytest.fixture(scope="session")
def tiny_gpt() -> Checkpoint:
    tokenizer = train_tokenizer(VocabularyKind.BYTE_LEVEL_BPE, SENTENCES * 5, 400, frame=GPT_FRAME)
    config = gpt_config(
        vocabulary=tokenizer.vocabulary_size,
        layers=1,
        heads=2,
        width=16,
        max_positions=48,
        initial_deviation=0.5,
    )
    return checkpoint_of(config, tokenizer)


@pytest.fixture(scope="session")
def tiny_transformer() -> Checkpoint:
    tokenizer = train_tokenizer(
        VocabularyKind.UNIGRAM, SENTENCES * 5, 300, frame=T5_FRAME, further=(">>de<<", ">>fr<<")
    )
    config = transformer_config(
        vocabulary=tokenizer.vocabulary_size,
        layers=1,
        heads=2,
        width=16,
        feed_forward=32,
        max_positions=64,
        initial_deviation=0.4,
    )
    return checkpoint_of(config, tokenizer)
