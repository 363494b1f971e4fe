"""RoBERTa: BERT whose positions are counted after the padding id, with one segment type.

Source: Liu et al. 2019, "RoBERTa: A Robustly Optimized BERT Pretraining Approach", section 2. The
model is :class:`core.models.architectures.bert.Bert`; what is new is how it is trained.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.config import Head, ModelConfig, Positions
from core.errors import ConfigError
from core.models.architectures.bert import bert_config


def roberta_config(
    *,
    vocabulary: int,
    position_rows: int = 514,
    segments: int = 1,
    padding_id: int = 1,
    norm_epsilon: float = 1e-5,
    predicts: tuple[Head, ...] = (Head.MASKED_LANGUAGE,),
    pooler: bool = False,
    **settings: Any,
) -> ModelConfig:
    """A RoBERTa of the given size; the defaults are RoBERTa-base.

    Args:
        position_rows: of the position table, those for padding included: 514 for 512 tokens.
        padding_id: the token that takes no position.
        settings: further arguments of :func:`bert_config`.

    Raises:
        ConfigError: no position is left beside the padding's, or as in :func:`bert_config`.
    """
    max_positions = position_rows - padding_id - 1
    if max_positions < 1:
        raise ConfigError(f"{position_rows} position rows leave none after padding id {padding_id}")
    config = bert_config(
        vocabulary=vocabulary,
        max_positions=max_positions,
        segments=segments,
        norm_epsilon=norm_epsilon,
        predicts=predicts,
        pooler=pooler,
        **settings,
    )
    tables = replace(config.embedding, positions=Positions.AFTER_PADDING, padding_id=padding_id)
    return replace(config, system="roberta", embedding=tables)
