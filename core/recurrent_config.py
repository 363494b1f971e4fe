"""What a recurrent model is made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from core.checks import require_positive, require_probability


class Alignment(Enum):
    """How a state of one side scores the states of the other, see ``core.models.alignment``."""

    CONTENT = "content"
    ADDITIVE = "additive"
    LOCATION = "location"
    GENERAL = "general"
    DOT = "dot"
    SCALED_DOT = "scaled_dot"


class Attends(Enum):
    """Which state of a recurrent decoder attends to the source."""

    PREVIOUS = "previous"  # the one before this step: Bahdanau et al. 2015
    CURRENT = "current"  # the one that this step has made: Luong et al. 2015


@dataclass(frozen=True)
class RecurrentConfig:
    """A recurrent encoder and a recurrent decoder that may attend to all of its states.

    Attributes:
        width: features of an encoder's state, in each direction.
        decoder_width: features of the decoder's state.
        bidirectional: whether the encoder also reads from the end.
        alignment: how the decoder scores the source; ``None`` for a decoder that only knows the
            encoder's last state.
        alignment_width: features between the two layers of the additive score.
        attends: which state of the decoder attends to the source.
        dropout: probability on what the decoder gives out.
    """

    width: int
    decoder_width: int
    bidirectional: bool = True
    alignment: Alignment | None = Alignment.ADDITIVE
    alignment_width: int = 256
    attends: Attends = Attends.PREVIOUS
    dropout: float = 0.1

    def __post_init__(self) -> None:
        require_positive(self, "width", "decoder_width", "alignment_width")
        require_probability(self, "dropout")

    @property
    def memory_width(self) -> int:
        """Features of the encoder's output: both directions side by side."""
        return 2 * self.width if self.bidirectional else self.width
