"""ALBERT: BERT with a narrow embedding, layers that share their weights, and sentence order.

Source: Lan et al. 2020, "ALBERT: A Lite BERT for Self-supervised Learning of Language
Representations", section 3.1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.config import Activation, Head, ModelConfig, Sharing, StackConfig
from core.errors import ConfigError
from core.models.architectures.bert import bert_config
from core.models.encoder import EncoderBody
from core.models.heads import MaskedLanguageHead, Pooler, SequenceHead


def albert_config(
    *,
    vocabulary: int,
    embedding_width: int = 128,
    layers: int = 12,
    groups: int = 1,
    inner_layers: int = 1,
    width: int = 768,
    activation: Activation = Activation.GELU_TANH,
    dropout: float = 0.0,
    attention_dropout: float = 0.0,
    predicts: tuple[Head, ...] = (Head.MASKED_LANGUAGE, Head.SENTENCE_ORDER),
    pooler: bool = True,
    sharing: Sharing | None = None,
    **settings: Any,
) -> ModelConfig:
    """An ALBERT of the given size; the defaults are ALBERT-base (table 1).

    Args:
        embedding_width: features of the tables, before the projection.
        layers: how often a group runs.
        groups: of layers that share all their weights; layer i belongs to group
            ``floor(i / (layers / groups))``, also where that does not divide.
        inner_layers: layers of a group, each with its own weights: they multiply the depth.
        sharing: ``None`` to share whole groups; else every layer has a module of its own, and all
            share their attention or their feed-forward part, or nothing (table 4).
        settings: further arguments of :func:`bert_config`.

    Raises:
        ConfigError: there are more groups than layers, or as in :func:`bert_config`.
    """
    if not 1 <= groups <= layers:
        raise ConfigError(f"{layers} layers cannot be shared by {groups} groups")
    config = bert_config(
        vocabulary=vocabulary,
        width=width,
        layers=layers,
        activation=activation,
        dropout=dropout,
        attention_dropout=attention_dropout,
        predicts=predicts,
        pooler=pooler,
        **settings,
    )
    assert config.encoder is not None
    layer = config.encoder.layer
    if sharing is None:
        stack = StackConfig(layer, shared_plan(layers, groups, inner_layers))
    else:
        stack = StackConfig.of_depth(layer, layers, sharing=sharing)
    tables = replace(config.embedding, width=embedding_width, output_width=width)
    return replace(config, system="albert", embedding=tables, encoder=stack)


def shared_plan(layers: int, groups: int, inner_layers: int) -> tuple[int, ...]:
    """Which module serves each layer of the forward pass, with a group's layers side by side.

    Five layers in two groups of one: ``(0, 0, 0, 1, 1)``; three in two groups of two:
    ``(0, 1, 0, 1, 2, 3)``.
    """
    return tuple(
        int(layer / (layers / groups)) * inner_layers + inner
        for layer in range(layers)
        for inner in range(inner_layers)
    )


class Albert(EncoderBody):
    """The encoder body over a projected embedding, with a pooler and ALBERT's two heads."""

    pair_head = "sentence_order"
    judged = "sentence order"

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        tables, layer = config.embedding, self.encoder_config.layer
        self.pooler = Pooler(layer.width) if config.pooler else None
        if Head.MASKED_LANGUAGE in config.heads:
            self.masked_language = MaskedLanguageHead(
                layer.width,
                tables.vocabulary,
                layer.feed_forward.activation,
                layer.norm_epsilon,
                tables.width,
            )
        ordered = Head.SENTENCE_ORDER in config.heads
        self.sentence_order = SequenceHead(layer.width, 2) if ordered else None
