"""DistilBERT: half of BERT's layers, without segments and without a pooler.

Source: Sanh et al. 2019, "DistilBERT, a distilled version of BERT", section 3. The model is
:class:`core.models.architectures.bert.Bert`; what is new is how it learns from its teacher.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.config import Head, ModelConfig
from core.errors import ConfigError
from core.models.architectures.bert import bert_config


def distilbert_config(
    *,
    vocabulary: int,
    layers: int = 6,
    predicts: tuple[Head, ...] = (Head.MASKED_LANGUAGE,),
    pooler: bool = False,
    **settings: Any,
) -> ModelConfig:
    """A DistilBERT of the given size; the defaults are the published one.

    Args:
        settings: further arguments of :func:`bert_config`.

    Raises:
        ConfigError: a pooler is asked for, or as in :func:`bert_config`.
    """
    if pooler:
        raise ConfigError("DistilBERT has no pooler")
    config = bert_config(
        vocabulary=vocabulary,
        layers=layers,
        segments=0,
        predicts=predicts,
        pooler=False,
        **settings,
    )
    return replace(config, system="distilbert")
