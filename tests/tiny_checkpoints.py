"""A tiny checkpoint of every system that is bundled: random weights, vocabularies of our own.

    write_tiny("gpt", folder)        # one, in Hugging Face's layout
    write_all(folder)                # all, as `assets/checkpoints` has them

`write_all` makes a folder that `core.checkpoints.catalogue.BUNDLED_FOLDER` can be pointed at.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import torch

from core.checkpoints import save_checkpoint
from core.config import Head, ModelConfig
from core.models.architectures.albert import albert_config
from core.models.architectures.bert import bert_config
from core.models.architectures.distilbert import distilbert_config
from core.models.architectures.electra import electra_config
from core.models.architectures.gpt import gpt_config
from core.models.architectures.mtdnn import mtdnn_config
from core.models.architectures.roberta import roberta_config
from core.models.architectures.seq2seq import seq2seq_config
from core.models.architectures.spanbert import spanbert_config
from core.models.architectures.structbert import structbert_config
from core.models.architectures.t5 import t5_config
from core.models.architectures.transformer import transformer_config
from core.models.architectures.xlnet import xlnet_config
from core.models.registry import build
from core.parity.reference import randomise
from core.task_config import TaskConfig, TaskKind
from core.tokenisation import Tokenizer
from core.tokenisation.blanks import size_tokens
from core.tokenisation.training import (
    BERT_FRAME,
    GPT_FRAME,
    ROBERTA_FRAME,
    T5_FRAME,
    TRANSLATION_FRAME,
    XLNET_FRAME,
    Kind,
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
    return train_tokenizer(Kind.WORD_PIECE, SENTENCES * 3, 300, frame=BERT_FRAME, lower_case=True)


@cache
def byte_level() -> Tokenizer:
    return train_tokenizer(Kind.BYTE_LEVEL_BPE, SENTENCES * 3, 400, frame=ROBERTA_FRAME)


@cache
def continuing() -> Tokenizer:
    return train_tokenizer(Kind.BYTE_LEVEL_BPE, SENTENCES * 3, 400, frame=GPT_FRAME)


@cache
def permuted() -> Tokenizer:
    return train_tokenizer(Kind.UNIGRAM, SENTENCES * 3, 300, frame=XLNET_FRAME)


@cache
def lower_case() -> Tokenizer:
    return train_tokenizer(Kind.UNIGRAM, SENTENCES * 3, 300, frame=BERT_FRAME, lower_case=True)


@cache
def with_blanks() -> Tokenizer:
    return train_tokenizer(
        Kind.UNIGRAM,
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
        Kind.UNIGRAM, SENTENCES * 3, 300, frame=TRANSLATION_FRAME, further=(">>de<<", ">>fr<<")
    )


@cache
def german_only() -> Tokenizer:
    return train_tokenizer(Kind.UNIGRAM, SENTENCES * 3, 300, frame=TRANSLATION_FRAME)


def _bert(tokenizer: Tokenizer) -> ModelConfig:
    return bert_config(vocabulary=tokenizer.vocabulary_size, **SIZES)


def _distilbert(tokenizer: Tokenizer) -> ModelConfig:
    return distilbert_config(vocabulary=tokenizer.vocabulary_size, **SIZES)


def _roberta(tokenizer: Tokenizer) -> ModelConfig:
    return roberta_config(
        vocabulary=tokenizer.vocabulary_size, padding_id=tokenizer.pad_id, **SIZES
    )


def _albert(tokenizer: Tokenizer) -> ModelConfig:
    return albert_config(vocabulary=tokenizer.vocabulary_size, embedding_width=16, **SIZES)


def _electra(tokenizer: Tokenizer) -> ModelConfig:
    return electra_config(vocabulary=tokenizer.vocabulary_size, embedding_width=32, **SIZES)


def _generator(tokenizer: Tokenizer) -> ModelConfig:
    return electra_config(
        vocabulary=tokenizer.vocabulary_size,
        embedding_width=32,
        predicts=(Head.MASKED_LANGUAGE,),
        **{**SIZES, "width": 16, "heads": 2},
    )


def _spanbert(tokenizer: Tokenizer) -> ModelConfig:
    return spanbert_config(vocabulary=tokenizer.vocabulary_size, **SIZES)


def _structbert(tokenizer: Tokenizer) -> ModelConfig:
    return structbert_config(vocabulary=tokenizer.vocabulary_size, **SIZES)


def _mtdnn(tokenizer: Tokenizer) -> ModelConfig:
    tasks = (
        TaskConfig("order", TaskKind.ANSWER_NETWORK, classes=2),
        TaskConfig("likeness", TaskKind.SIMILARITY),
        TaskConfig("words", TaskKind.TAGS, classes=5),
    )
    heads = (Head.MASKED_LANGUAGE,)
    return mtdnn_config(vocabulary=tokenizer.vocabulary_size, tasks=tasks, predicts=heads, **SIZES)


def _gpt(tokenizer: Tokenizer) -> ModelConfig:
    return gpt_config(vocabulary=tokenizer.vocabulary_size, max_positions=512, **SIZES)


def _xlnet(tokenizer: Tokenizer) -> ModelConfig:
    return xlnet_config(vocabulary=tokenizer.vocabulary_size, **SIZES)


def _t5(tokenizer: Tokenizer) -> ModelConfig:
    return t5_config(
        vocabulary=tokenizer.vocabulary_size,
        head_size=8,
        start_id=tokenizer.pad_id,
        **SIZES,
    )


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


# By the names that they are bundled under.
CHECKPOINTS: dict[str, tuple[Callable[[], Tokenizer], Configure]] = {
    "bert": (word_pieces, _bert),
    "electra": (word_pieces, _electra),
    "electra-generator": (word_pieces, _generator),
    "t5": (with_blanks, _t5),
    "gpt": (continuing, _gpt),
    "transformer": (two_languages, _transformer),
    "seq2seq": (german_only, _seq2seq),
    "distilbert": (word_pieces, _distilbert),
    "roberta": (byte_level, _roberta),
    "spanbert": (word_pieces, _spanbert),
    "structbert": (word_pieces, _structbert),
    "mtdnn": (word_pieces, _mtdnn),
    "xlnet": (permuted, _xlnet),
    "albert": (lower_case, _albert),
}


def write_tiny(name: str, folder: Path) -> Path:
    """Write the checkpoint of this name."""
    make_tokenizer, configure = CHECKPOINTS[name]
    tokenizer = make_tokenizer()
    config = configure(tokenizer)
    torch.manual_seed(7)
    model = build(config)
    randomise(model, seed=7, spread=0.8)  # spread out, so that results differ
    return save_checkpoint(model, config, tokenizer, folder, dtype=torch.float32)


def write_all(folder: Path) -> Path:
    """Write all of them side by side; return the folder."""
    for name in CHECKPOINTS:
        write_tiny(name, folder / name)
    return folder
