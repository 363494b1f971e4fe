"""One text under every unsupervised objective that T5's paper compares.

Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
Transformer", section 3.3, table 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import torch

from core.checkpoints import Checkpoint
from core.objectives.denoising import Denoising, Marks, NoiseDraw, denoise, draw_noise
from core.tokenisation import readable
from core.tokenisation.blanks import sentinel

MOST_TOKENS = 64
MASK = "<M>"  # as the paper's table writes it; T5's own vocabulary has none


class Origin(Enum):
    """Where a piece of an input or a target comes from."""

    TEXT = "text"
    MASK = "mask"
    SENTINEL = "sentinel"
    RANDOM = "random"  # drawn from the vocabulary


@dataclass(frozen=True)
class Piece:
    """One token of an input or a target.

    Attributes:
        text: readable.
        origin: where it comes from.
        number: its position in the text, or the number of the sentinel; -1 for the others.
    """

    text: str
    origin: Origin
    number: int = -1


@dataclass(frozen=True)
class Denoised:
    """The text under one objective.

    Attributes:
        kind: the objective.
        inputs: what the encoder reads.
        targets: what the decoder has to write.
        hidden: positions that are hidden, noise or span.
    """

    kind: Denoising
    inputs: tuple[Piece, ...]
    targets: tuple[Piece, ...]
    hidden: frozenset[int]


@dataclass(frozen=True)
class DenoisedText:
    """The text under all of them.

    Attributes:
        pieces: the text.
        cut: how many tokens were left out behind it.
        rows: in the order of the paper's table.
    """

    pieces: tuple[Piece, ...]
    cut: int
    rows: tuple[Denoised, ...]


def denoise_text(checkpoint: Checkpoint, text: str, *, seed: int = 0) -> DenoisedText:
    """Show what each objective makes of the first ``MOST_TOKENS`` tokens of a text.

    All random draws are made once: objectives that hide single tokens hide the same.

    Args:
        checkpoint: whose pieces; its weights are not asked.
        text: without blanks.
        seed: of all random draws.

    Raises:
        EmptyTextError, TextTooLongError: as in :meth:`Tokenizer.encode`.
        ConfigError: fewer than two tokens.
    """
    tokenizer = checkpoint.tokenizer
    encoding = tokenizer.encode(text)
    typed = [
        piece for piece, special in zip(encoding.pieces, encoding.special, strict=True)
        if not special
    ]  # fmt: skip
    pieces = [Piece(one, Origin.TEXT, at) for at, one in enumerate(typed[:MOST_TOKENS])]
    drawn = draw_noise(len(pieces), generator=torch.Generator().manual_seed(seed % 2**63))
    marks = Marks(
        Piece(MASK, Origin.MASK), lambda span: Piece(sentinel(span), Origin.SENTINEL, span)
    )
    added = {one.content for one in tokenizer.inner.get_added_tokens_decoder().values()}
    vocabulary = [
        Piece(readable(one), Origin.RANDOM)
        for one in sorted(tokenizer.inner.get_vocab())
        if one not in added
    ]
    rows = []
    for kind in Denoising:
        inputs, targets = denoise(kind, pieces, drawn, marks=marks, vocabulary=vocabulary)
        rows.append(Denoised(kind, tuple(inputs), tuple(targets), _hidden(kind, drawn)))
    return DenoisedText(tuple(pieces), len(typed) - len(pieces), tuple(rows))


def _hidden(kind: Denoising, drawn: NoiseDraw) -> frozenset[int]:
    """Positions that an objective hides; none where the text is all prefix or only reordered."""
    if kind in (Denoising.PREFIX, Denoising.DESHUFFLING):
        return frozenset()
    flags = drawn.spans if kind is Denoising.RANDOM_SPANS else drawn.noise
    return frozenset(position for position, hidden in enumerate(flags) if hidden)
