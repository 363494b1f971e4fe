"""Model inputs before anything is hidden: one or two stretches of a corpus and special tokens."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.objectives.pieces import Specials
from core.training.corpora import TokenCorpus


@dataclass(frozen=True)
class Inputs:
    """Model inputs, before anything is hidden.

    Attributes:
        ids: ``[batch, token]``.
        segments: 0 up to the first separator, 1 after it, ``[batch, token]``.
        ordinary: boolean, False at special tokens and padding, ``[batch, token]``.
        keep: boolean, False at padding, ``[batch, token]``; ``None`` if nothing is padded.
        follows: how the two segments belong together, as a number of :class:`Relation`'s classes;
            -1 for a single segment, ``[batch]``.
    """

    ids: Tensor
    segments: Tensor
    ordinary: Tensor
    keep: Tensor | None
    follows: Tensor

    def joined(self, other: Inputs) -> Inputs:
        """Both batches as one; they have the same length."""
        keep = None
        if self.keep is not None or other.keep is not None:
            keep = torch.cat([self._all_kept(), other._all_kept()])
        return Inputs(
            ids=torch.cat([self.ids, other.ids]),
            segments=torch.cat([self.segments, other.segments]),
            ordinary=torch.cat([self.ordinary, other.ordinary]),
            keep=keep,
            follows=torch.cat([self.follows, other.follows]),
        )

    def _all_kept(self) -> Tensor:
        return torch.ones_like(self.ordinary) if self.keep is None else self.keep


@dataclass(frozen=True)
class Segments:
    """Which stretches of a corpus become inputs, all ``[batch]``.

    Attributes:
        first: where the first segment starts.
        first_size: its tokens.
        second: where the second segment starts.
        second_size: its tokens; -1 for no second segment.
        follows: as in :class:`Inputs`.
    """

    first: Tensor
    first_size: Tensor
    second: Tensor
    second_size: Tensor
    follows: Tensor

    def alone(self, single: Tensor) -> Segments:
        """The same without the second segment where ``single``."""
        return Segments(
            self.first,
            self.first_size,
            self.second,
            torch.where(single, -1, self.second_size),
            torch.where(single, -1, self.follows),
        )


def assemble(
    corpus: TokenCorpus, specials: Specials, length: int, chosen: Segments, *, padded: bool
) -> Inputs:
    """Put segments between special tokens; what is left of the length is padding.

    Worked example, length 8, first segment 2 tokens, second 3::

        position  0    1  2  3    4  5  6  7
        token    CLS   a  b  SEP  x  y  z  SEP
    """
    tokens = corpus.tokens
    position = torch.arange(length, device=tokens.device)[None]
    # A second segment of -1 tokens stands for none: its separator then falls on the first's.
    size = chosen.first_size[:, None]
    total = size + chosen.second_size[:, None] + 3
    in_first = position <= size + 1
    first, second = chosen.first[:, None] - 1, chosen.second[:, None] - size - 2
    source = torch.where(in_first, first, second) + position
    ids = tokens[source.clamp(0, len(tokens) - 1)].long()
    ids = torch.where(position == 0, specials.classify, ids)
    separator = (position == size + 1) | (position == total - 1)
    ids = torch.where(separator, specials.separator, ids)
    keep = position < total
    ids = torch.where(keep, ids, specials.padding)
    segments = (~in_first & keep).long()
    ordinary = keep & ~separator & (position > 0)
    return Inputs(ids, segments, ordinary, keep if padded else None, chosen.follows)
