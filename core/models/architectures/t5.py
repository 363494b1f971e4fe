"""T5: text to text, with relative distances instead of positions and RMS norms without bias.

Sources: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
Transformer", section 2.1; Shazeer 2020, "GLU Variants Improve Transformer" (version 1.1: gated
feed-forward, an output matrix of its own).
"""

from __future__ import annotations

from core.config import (
    Activation,
    AttentionConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    Head,
    LayerConfig,
    ModelConfig,
    NormKind,
    NormPlacement,
    Positions,
    RelativeBiasConfig,
    StackConfig,
)
from core.errors import ConfigError


def t5_config(
    *,
    vocabulary: int,
    layers: int = 6,
    decoder_layers: int | None = None,
    heads: int = 8,
    head_size: int = 64,
    width: int = 512,
    feed_forward: int = 2048,
    max_positions: int = 512,
    buckets: int = 32,
    max_distance: int = 128,
    activation: Activation = Activation.RELU,
    gated: bool = False,
    tied: bool = True,
    norm_epsilon: float = 1e-6,
    dropout: float = 0.1,
    start_id: int = 0,
    initial_factor: float = 1.0,
    predicts: tuple[Head, ...] = (Head.LANGUAGE,),
    pooler: bool = False,
) -> ModelConfig:
    """A T5 of the given size; the defaults are T5-small, for version 1.1 see ``gated``, ``tied``.

    Args:
        decoder_layers: ``None`` for as many as the encoder has.
        head_size: independent of the width: all heads together may be wider or narrower.
        max_positions: longest text that is read. Distances need no table of positions, but longer
            texts than those of the training are read badly.
        gated: version 1.1 multiplies the activated features by a second projection.
        tied: the original scores words with the token table, version 1.1 with a matrix of its own.
        start_id: what the decoder reads first, the padding.
        initial_factor: on the standard deviations of the first weights.

    Raises:
        ConfigError: a pooler is asked for, or a size is out of range.
    """
    if pooler:
        raise ConfigError("T5 has no pooler")

    def stack(depth: int, cross_attention: bool) -> StackConfig:
        return StackConfig.of_depth(
            LayerConfig(
                width=width,
                # The initialisation keeps the scores small instead of a scale: see core.models.
                attention=AttentionConfig(heads, head_size, scale=1.0, bias=False, dropout=dropout),
                feed_forward=FeedForwardConfig(
                    feed_forward, activation, bias=False, gated=gated, dropout=dropout
                ),
                placement=NormPlacement.PRE,
                norm=NormKind.RMS,
                norm_epsilon=norm_epsilon,
                dropout=dropout,
                cross_attention=cross_attention,
            ),
            depth,
            relative_bias=RelativeBiasConfig(buckets, max_distance),
        )

    return ModelConfig(
        system="t5",
        embedding=EmbeddingConfig(
            vocabulary,
            width,
            max_positions,
            segments=0,
            dropout=dropout,
            positions=Positions.NONE,
            norm=False,
        ),
        encoder=stack(layers, cross_attention=False),
        decoder=stack(layers if decoder_layers is None else decoder_layers, cross_attention=True),
        heads=predicts,
        initial_deviation=initial_factor,
        fan_in=True,
        tied=tied,
        # A tied table is not drawn small enough to be an output matrix too.
        word_scale=width**-0.5 if tied else 1.0,
        start_id=start_id,
    )
