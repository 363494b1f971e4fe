"""ELECTRA: a small generator fills masks, a discriminator says which tokens were replaced.

Source: Clark et al. 2020, "ELECTRA: Pre-training Text Encoders as Discriminators Rather Than
Generators", section 2. Both networks are this one body, each with its own head.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.config import Activation, Head, ModelConfig
from core.errors import ConfigError
from core.models.architectures.bert import bert_config
from core.models.encoder import EncoderBody
from core.models.heads import MaskedLanguageHead, ReplacedTokenHead


def electra_config(
    *,
    vocabulary: int,
    embedding_width: int = 128,
    width: int = 256,
    heads: int = 4,
    predicts: tuple[Head, ...] = (Head.REPLACED_TOKEN,),
    pooler: bool = False,
    **settings: Any,
) -> ModelConfig:
    """An ELECTRA network of the given size; the defaults are ELECTRA-small (table 6).

    Args:
        embedding_width: features of the tables; where it is not the width, a projection follows.
        predicts: ``REPLACED_TOKEN`` for a discriminator, ``MASKED_LANGUAGE`` for a generator.
        settings: further arguments of :func:`bert_config`.

    Raises:
        ConfigError: a pooler is asked for, or as in :func:`bert_config`.
    """
    if pooler:
        raise ConfigError("ELECTRA has no pooler")
    config = bert_config(
        vocabulary=vocabulary, width=width, heads=heads, predicts=predicts, pooler=False, **settings
    )
    tables = replace(
        config.embedding,
        width=embedding_width,
        output_width=None if embedding_width == width else width,
    )
    return replace(config, system="electra", embedding=tables)


class Electra(EncoderBody):
    """The encoder body with the head of the generator or that of the discriminator."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        tables, layer = config.embedding, self.encoder_config.layer
        if Head.MASKED_LANGUAGE in config.heads:
            # The generator's head is always exact GELU, whatever its layers use.
            self.masked_language = MaskedLanguageHead(
                layer.width, tables.vocabulary, Activation.GELU, layer.norm_epsilon, tables.width
            )
        if Head.REPLACED_TOKEN in config.heads:
            self.replaced_token = ReplacedTokenHead(layer.width, layer.feed_forward.activation)
