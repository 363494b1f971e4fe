"""Tiny checkpoints of BERT's family."""

from core.config import Head, ModelConfig
from core.models.architectures.albert import albert_config
from core.models.architectures.bert import bert_config
from core.models.architectures.distilbert import distilbert_config
from core.models.architectures.electra import electra_config
from core.models.architectures.mtdnn import mtdnn_config
from core.models.architectures.roberta import roberta_config
from core.models.architectures.spanbert import spanbert_config
from core.models.architectures.structbert import structbert_config
from core.task_config import TaskConfig, TaskKind
from core.tokenisation import Tokenizer
from tests.tiny_checkpoints.vocabularies import SIZES, byte_level, lower_case, word_pieces


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


CHECKPOINTS = {
    "bert": (word_pieces, _bert),
    "electra": (word_pieces, _electra),
    "electra-generator": (word_pieces, _generator),
    "distilbert": (word_pieces, _distilbert),
    "roberta": (byte_level, _roberta),
    "spanbert": (word_pieces, _spanbert),
    "structbert": (word_pieces, _structbert),
    "mtdnn": (word_pieces, _mtdnn),
    "albert": (lower_case, _albert),
}
