"""Translation before the Transformer: a recurrent encoder and decoder with attention.

Sources: Bahdanau, Cho and Bengio 2015, "Neural Machine Translation by Jointly Learning to Align and
Translate"; Luong, Pham and Manning 2015, "Effective Approaches to Attention-based Neural Machine
Translation". The model is :class:`core.models.recurrent.RecurrentBody`.
"""

from __future__ import annotations

from core.config import EmbeddingConfig, Head, ModelConfig, Positions
from core.errors import ConfigError
from core.recurrent_config import Alignment, Attends, RecurrentConfig


def seq2seq_config(
    *,
    vocabulary: int,
    embedding_width: int = 256,
    width: int = 256,
    decoder_width: int = 256,
    both_ways: bool = True,
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
        alignment: how the source is scored; ``None`` for a decoder that cannot look at it.
        alignment_width: between the two layers of the additive score.
        attends: ``PREVIOUS`` is Bahdanau's way, ``CURRENT`` Luong's.
        max_positions: longest text, and most places of the location score.
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
            width, decoder_width, both_ways, alignment, alignment_width, attends, dropout
        ),
        heads=predicts,
        initial_deviation=initial_deviation,
        word_bias=True,
        start_id=start_id,
    )
