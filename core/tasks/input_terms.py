"""What a token is to a model before the first layer: the sum of up to three vectors.

Devlin et al. 2019, "BERT", section 3, figure 2: what the token is, which text it belongs to, where
it stands. Every number is from a hook point of one pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.checkpoints import Checkpoint
from core.tasks.forward import encode, forward
from core.tasks.recording import read_only
from core.tokenisation import Encoding

Vectors = NDArray[np.float32]

_TERMS = ("tokens", "segments", "positions")


@dataclass(frozen=True)
class InputTerms:
    """The parts of a model's input, all ``[token, width]`` and read-only.

    Attributes:
        encoding: exactly the tokens that ran.
        tokens: what each token is.
        segments: which text it belongs to; ``None`` for a model without segments (DistilBERT,
            XLNet). RoBERTa has one, the same for every token.
        positions: where it stands; ``None`` for a model without such a table (XLNet).
        total: their sum.
        output: the same after the norm, where there is one: what the first layer reads, or what is
            projected to its width (ALBERT, ELECTRA).
        seconds: wall time of the pass.
        device: where it ran.
    """

    encoding: Encoding
    tokens: Vectors
    segments: Vectors | None
    positions: Vectors | None
    total: Vectors
    output: Vectors
    seconds: float
    device: str

    def lengths(self) -> dict[str, Vectors]:
        """Euclidean length of everything there is, by name, ``[token]`` each."""
        vectors = {name: getattr(self, name) for name in (*_TERMS, "total", "output")}
        return {
            name: np.linalg.norm(one, axis=-1) for name, one in vectors.items() if one is not None
        }


def input_terms(
    checkpoint: Checkpoint, text: str, pair: str | None = None, *, cut: bool = False
) -> InputTerms:
    """Read the terms of every token of one or two texts.

    Args:
        checkpoint: a model of one side.
        text: what a person typed.
        pair: a second text, or ``None``.
        cut: leave out the end of the longer text until both fit, instead of refusing.

    Raises:
        NotOneSidedError: the model has two sides.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    encoding = encode(checkpoint, text, pair, cut=cut)
    ran = forward(
        checkpoint,
        encoding,
        sites=tuple(f"embedding.{name}" for name in (*_TERMS, "sum", "output")),
        predict=False,
    )
    size = len(encoding)

    def vectors(name: str) -> Vectors:
        found = ran.trace[f"embedding.{name}"][0]  # positions are the same for every text
        return read_only(found.expand(size, -1))

    embedding: Any = checkpoint.model.embedding
    return InputTerms(
        encoding=encoding,
        tokens=vectors("tokens"),
        segments=None if embedding.segment_table is None else vectors("segments"),
        positions=None if embedding.position_table is None else vectors("positions"),
        total=vectors("sum"),
        output=vectors("output"),
        seconds=ran.seconds,
        device=ran.device,
    )
