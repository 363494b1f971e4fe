"""SpanBERT: BERT that learns to fill whole spans, from single stretches of text.

Source: Joshi et al. 2020, "SpanBERT: Improving Pre-training by Representing and Predicting Spans",
section 3. The body is :class:`core.models.architectures.bert.Bert`, with the letters' case and
without next sentences; what is new is how it is trained.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.config import Head, ModelConfig
from core.models.architectures.bert import bert_config


def spanbert_config(
    *,
    vocabulary: int,
    predicts: tuple[Head, ...] = (Head.MASKED_LANGUAGE,),
    pooler: bool = False,
    **settings: Any,
) -> ModelConfig:
    """A SpanBERT of the given size; the defaults are SpanBERT-base.

    Args:
        predicts: which heads to build.
        pooler: whether there is one.
        settings: further arguments of :func:`bert_config`.

    Raises:
        ConfigError: as in :func:`bert_config`.
    """
    config = bert_config(vocabulary=vocabulary, predicts=predicts, pooler=pooler, **settings)
    return replace(config, system="spanbert")
