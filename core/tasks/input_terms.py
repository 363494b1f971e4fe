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
from core.tasks.forward import encode, forward, one_stack, read_only
from core.tokenisation import Encoding

Vectors = NDArray[np.float32]

_NAMES = ("tokens", "segments", "positions", "total", "output")


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
        vectors = {name: getattr(self, name) for name in _NAMES}
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
        NotOneStackError: the model is an encoder-decoder.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    one_stack(checkpoint)  # refuses any other model
    embedding: Any = checkpoint.model.embedding
    tables = {
        "tokens": embedding.token_table,
        "segments": embedding.segment_table,
        "positions": embedding.position_table,
    }
    there = [name for name, table in tables.items() if table is not None]
    encoding = encode(checkpoint, text, pair, cut=cut)
    sites = [f"embedding.{name}" for name in (*there, "sum", "output")]
    ran = forward(checkpoint, encoding, sites=sites)
    vectors = [read_only(ran.trace[site][0]) for site in sites]
    found = dict(zip((*there, "total", "output"), vectors, strict=True))
    return InputTerms(
        encoding=encoding,
        tokens=found["tokens"],
        segments=found.get("segments"),
        positions=found.get("positions"),
        total=found["total"],
        output=found["output"],
        seconds=ran.seconds,
        device=ran.device,
    )
