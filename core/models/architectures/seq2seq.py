"""Translation before the Transformer: a recurrent encoder and decoder with attention.

Sources: Bahdanau, Cho and Bengio 2015, "Neural Machine Translation by Jointly Learning to Align and
Translate"; Luong, Pham and Manning 2015, "Effective Approaches to Attention-based Neural Machine
Translation". The model is :class:`core.models.recurrent.RecurrentBody`.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import Any

from core.config import EmbeddingConfig, Head, ModelConfig, Positions
from core.errors import ConfigError
from core.hugging_face.family import Family
from core.hugging_face.keys import KeyRules, Rename
from core.hugging_face.limits import MAX_POSITIONS, MAX_VOCABULARY, MAX_WIDTH
from core.hugging_face.settings import (
    COUNT,
    FLAG,
    NUMBER,
    NUMBER_FROM_0,
    PROBABILITY,
    ConfigTable,
    Setting,
    ValueType,
)
from core.models.architectures.transformer import translation
from core.models.recipe import NEXT_WORDS, Configure, Recipe, Sizes
from core.models.recurrent import RecurrentBody
from core.models.system import System
from core.recurrent_config import Alignment, Attends, RecurrentConfig
from core.tokenisation import Tokenizer


def seq2seq_config(
    *,
    vocabulary: int,
    embedding_width: int = 256,
    width: int = 256,
    decoder_width: int = 256,
    bidirectional: bool = True,
    alignment: Alignment | None = Alignment.ADDITIVE,
    alignment_width: int = 256,
    attends: Attends = Attends.PREVIOUS,
    max_positions: int = 512,
    dropout: float = 0.1,
    start_id: int = 0,
    padding_id: int = 0,
    initial_deviation: float = 0.05,
    predicts: tuple[Head, ...] = (Head.LANGUAGE,),
    pooler: bool = False,
) -> ModelConfig:
    """A translator of the given size, one vocabulary for both languages.

    The defaults are Bahdanau's way of attending at a quarter of the paper's width.

    Args:
        embedding_width: features of a token.
        width: of the encoder's state, in each direction.
        alignment: how the source is scored; ``None`` for a decoder that cannot attend to it.
        alignment_width: between the two layers of the additive score.
        attends: ``PREVIOUS`` is Bahdanau's way, ``CURRENT`` Luong's.
        max_positions: longest text, and most positions of the location score.
        start_id: what the decoder reads first.
        padding_id: the token that fills up short texts.

    Raises:
        ConfigError: a pooler is asked for, or a size is out of range.
    """
    if pooler:
        raise ConfigError("a recurrent model has no pooler")
    return ModelConfig(
        system="seq2seq",
        embedding=EmbeddingConfig(
            vocabulary,
            embedding_width,
            max_positions,
            segments=0,
            dropout=dropout,
            positions=Positions.NONE,
            padding_id=padding_id,
            norm=False,
        ),
        recurrent=RecurrentConfig(
            width, decoder_width, bidirectional, alignment, alignment_width, attends, dropout
        ),
        heads=predicts,
        initial_deviation=initial_deviation,
        word_bias=True,
        start_id=start_id,
    )


# Checkpoints of the recurrent translator, in a form of our own: transformers has no such class.


def _one_of(kinds: type[Enum]) -> ValueType:
    """A setting with the values of an enumeration."""

    def read(value: Any) -> Any:
        return kinds(value)

    return ValueType(f"one of {', '.join(k.value for k in kinds)}", read, lambda kind: kind.value)


def _optional(kind: ValueType) -> ValueType:
    return ValueType(
        f"{kind.wanted}, or null",
        lambda value: None if value is None else kind.read(value),
        lambda value: None if value is None else kind.write(value),
    )


_SETTINGS = (
    Setting("vocab_size", "vocabulary", "embedding.vocabulary", COUNT, limit=MAX_VOCABULARY),
    Setting("embedding_size", "embedding_width", "embedding.width", COUNT, limit=MAX_WIDTH),
    Setting("hidden_size", "width", "recurrent.width", COUNT, limit=MAX_WIDTH),
    Setting(
        "decoder_hidden_size", "decoder_width", "recurrent.decoder_width", COUNT, limit=MAX_WIDTH
    ),
    Setting("bidirectional", "bidirectional", "recurrent.bidirectional", FLAG, True),
    Setting("alignment", "alignment", "recurrent.alignment", _optional(_one_of(Alignment))),
    Setting(
        "alignment_size", "alignment_width", "recurrent.alignment_width", COUNT, 256, MAX_WIDTH
    ),
    Setting("attends", "attends", "recurrent.attends", _one_of(Attends), "previous"),
    Setting(
        "max_position_embeddings",
        "max_positions",
        "embedding.max_positions",
        COUNT,
        512,
        MAX_POSITIONS,
    ),
    Setting("dropout", "dropout", "recurrent.dropout", PROBABILITY, 0.1),
    Setting("decoder_start_token_id", "start_id", "start_id", NUMBER_FROM_0, 0, MAX_VOCABULARY),
    Setting("pad_token_id", "padding_id", "embedding.padding_id", NUMBER_FROM_0, 0, MAX_VOCABULARY),
    Setting("init_std", "initial_deviation", "initial_deviation", NUMBER, 0.05),
)

_KEYS = KeyRules(
    body="",
    rules=tuple(
        Rename(name, name) for name in ("embedding.token_table", "encoder", "decoder", "language")
    ),
)

SEQ2SEQ = Family(
    system="seq2seq",
    model_type="headlight-seq2seq",
    table=ConfigTable(
        build=seq2seq_config,
        settings=_SETTINGS,
        constants={"is_encoder_decoder": True, "tie_word_embeddings": True},
        multiples=(),
        architectures={"HeadlightSeq2seq": (Head.LANGUAGE,), "HeadlightSeq2seqModel": ()},
    ),
    keys=lambda _settings: _KEYS,
)


# As the Transformer's: 0.1 for a width of 256. With a half of it, it begins twice as late.
_SPREAD = 1.6


def _fresh(*, attends: bool = True) -> Configure:
    """A recurrent translator of one width everywhere that reads the padding first.

    Of the sizes it has no use for layers, heads and inner features.

    Args:
        attends: whether its decoder attends to all states of the encoder, or gets the last ones.
    """

    def configure(tokenizer: Tokenizer, sizes: Sizes) -> ModelConfig:
        padding = tokenizer.pad_id
        return seq2seq_config(
            vocabulary=tokenizer.vocabulary_size,
            embedding_width=sizes.width,
            width=sizes.width,
            decoder_width=sizes.width,
            alignment=Alignment.ADDITIVE if attends else None,
            alignment_width=sizes.width,
            max_positions=sizes.positions,
            start_id=padding,
            padding_id=padding,
            initial_deviation=_SPREAD / math.sqrt(sizes.width),
        )

    return configure


SYSTEMS = (
    System(
        "Seq2seq",
        2015,
        "Bahdanau, Cho and Bengio 2015, “Neural Machine Translation by Jointly Learning to Align"
        " and Translate”",
        RecurrentBody,
        SEQ2SEQ,
        tuple(
            Recipe("translation", fresh, translation, variant=variant, needs=NEXT_WORDS, pairs=True)
            for variant, fresh in (
                ("seq2seq", _fresh()),
                ("seq2seq-without-attention", _fresh(attends=False)),
            )
        ),
    ),
)
