"""Checkpoints of the recurrent translator, in a form of our own: transformers has no such class."""

from __future__ import annotations

from enum import Enum
from typing import Any

from core.checkpoints.family import Family
from core.checkpoints.hf_config import (
    COUNT,
    FLAG,
    NUMBER,
    NUMBER_FROM_0,
    PROBABILITY,
    ConfigTable,
    Kind,
    Setting,
)
from core.checkpoints.key_rules import KeyRules, Rename
from core.checkpoints.sizes import MAX_POSITIONS, MAX_VOCABULARY, MAX_WIDTH
from core.config import Head
from core.models.architectures.seq2seq import seq2seq_config
from core.recurrent_config import Alignment, Attends


def _one_of(kinds: type[Enum]) -> Kind:
    """A setting with the values of an enumeration."""

    def read(value: Any) -> Any:
        return kinds(value)

    return Kind(f"one of {', '.join(k.value for k in kinds)}", read, lambda kind: kind.value)


def _optional(kind: Kind) -> Kind:
    return Kind(
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
    Setting("bidirectional", "both_ways", "recurrent.both_ways", FLAG, True),
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
