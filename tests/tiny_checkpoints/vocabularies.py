"""Sizes and vocabularies of the tiny checkpoints."""

from collections.abc import Callable
from functools import cache
from typing import Any

from core.config import ModelConfig
from core.tokenisation import Tokenizer
from core.tokenisation.blanks import size_tokens
from core.tokenisation.training import (
    BERT_FRAME,
    GPT_FRAME,
    ROBERTA_FRAME,
    T5_FRAME,
    TRANSLATION_FRAME,
    XLNET_FRAME,
    VocabularyKind,
    sentinels,
    train_tokenizer,
)

SENTENCES = (
    "The keeper of the lighthouse mends his old boat before the winter comes.",
    "In the harbour the fishermen were waiting for the next tide; he will need it in spring.",
    "The animal didn't cross the street because it was too tired.",
    "She is eating a green apple, and my dog is cute. He likes playing in the garden!",
    "The dog sleeps in the garden. My sister lives in a small house (25 years old).",
    "Der Hund schläft im Garten. Meine Schwester wohnt in einem kleinen Haus.",
    "The capital of France is Paris; the man went to the store to buy a gallon of milk.",
)

SIZES: dict[str, Any] = {"layers": 2, "width": 32, "heads": 4, "feed_forward": 48}
Configure = Callable[[Tokenizer], ModelConfig]


@cache
def word_pieces() -> Tokenizer:
    return train_tokenizer(
        VocabularyKind.WORD_PIECE, SENTENCES * 3, 300, frame=BERT_FRAME, lower_case=True
    )


@cache
def byte_level() -> Tokenizer:
    return train_tokenizer(VocabularyKind.BYTE_LEVEL_BPE, SENTENCES * 3, 400, frame=ROBERTA_FRAME)


@cache
def continuing() -> Tokenizer:
    return train_tokenizer(VocabularyKind.BYTE_LEVEL_BPE, SENTENCES * 3, 400, frame=GPT_FRAME)


@cache
def permuted() -> Tokenizer:
    return train_tokenizer(VocabularyKind.UNIGRAM, SENTENCES * 3, 300, frame=XLNET_FRAME)


@cache
def lower_case() -> Tokenizer:
    return train_tokenizer(
        VocabularyKind.UNIGRAM, SENTENCES * 3, 300, frame=BERT_FRAME, lower_case=True
    )


@cache
def with_blanks() -> Tokenizer:
    return train_tokenizer(
        VocabularyKind.UNIGRAM,
        SENTENCES * 3,
        500,
        frame=T5_FRAME,
        digits_apart=True,
        punctuation_apart=True,
        further=(*size_tokens(), *sentinels(100)),
    )


@cache
def two_languages() -> Tokenizer:
    return train_tokenizer(
        VocabularyKind.UNIGRAM,
        SENTENCES * 3,
        300,
        frame=TRANSLATION_FRAME,
        further=(">>de<<", ">>fr<<"),
    )


@cache
def german_only() -> Tokenizer:
    return train_tokenizer(VocabularyKind.UNIGRAM, SENTENCES * 3, 300, frame=TRANSLATION_FRAME)
