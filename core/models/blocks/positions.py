"""Position terms of an embedding. Every kind maps token ids and a start to rows."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.errors import SequenceTooLongError
from core.models.blocks.weights import Table


class LearnedPositions(nn.Module):
    """A trained row for every position, as in BERT and GPT."""

    def __init__(self, max_positions: int, width: int) -> None:
        super().__init__()
        self.table = Table(max_positions, width)

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        """The rows of positions ``start``, ``start + 1``, ... for ids ``[batch, token]``.

        Returns:
            ``[1, token, width]``.

        Raises:
            SequenceTooLongError: more tokens than rows.
        """
        end, limit = start + ids.shape[1], self.table.num_embeddings
        if end > limit:
            raise SequenceTooLongError(end, limit)
        return self.table(torch.arange(start, end, device=ids.device))[None]


class PositionsAfterPadding(nn.Module):
    """Trained rows that count tokens which are no padding, as in RoBERTa.

    The first real token has row ``padding_id + 1``; padding itself has row ``padding_id``. With
    padding id 1::

        token     <pad>  <s>  The  cat  </s>  <pad>
        row           1    2    3    4     5      1
    """

    def __init__(self, max_positions: int, width: int, padding_id: int) -> None:
        super().__init__()
        self.padding_id = padding_id
        self.max_positions = max_positions
        self.table = Table(max_positions + padding_id + 1, width)

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        """Rows for ids ``[batch, token]``: ``[batch, token, width]``.

        Raises:
            SequenceTooLongError: more tokens than positions.
        """
        end = start + ids.shape[1]
        if end > self.max_positions:
            raise SequenceTooLongError(end, self.max_positions)
        real = ids != self.padding_id
        return self.table((start + real.cumsum(1)) * real + self.padding_id)


class SinusoidalPositions(nn.Module):
    """Waves of wavelengths from 2 pi to 10000 * 2 pi, computed, not trained.

    Feature pair ``k`` of position ``p`` is the sine and the cosine of ``p / 10000^(2k / width)``.
    Width 4, ``interleaved`` as in the paper, and with all sines first as in Marian::

        interleaved   sin(p)  cos(p)       sin(p/100)  cos(p/100)
        halves        sin(p)  sin(p/100)   cos(p)      cos(p/100)

    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5.
    """

    def __init__(self, max_positions: int, width: int, *, interleaved: bool) -> None:
        super().__init__()
        self.max_positions = max_positions
        self.width = width
        self.interleaved = interleaved
        self._rows = torch.empty(0)  # what has been computed; no buffer, nothing to be saved

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        """The rows for ids ``[batch, token]``: ``[1, token, width]``.

        Raises:
            SequenceTooLongError: more tokens than positions.
        """
        end = start + ids.shape[1]
        if end > self.max_positions:
            raise SequenceTooLongError(end, self.max_positions)
        return self._first_rows(end, ids.device)[None, start:end].to(torch.get_default_dtype())

    def _first_rows(self, count: int, device: torch.device) -> Tensor:
        """At least so many rows; word by word, computing them would take as long as a layer."""
        if torch.compiler.is_compiling():
            return sinusoids(count, self.width, interleaved=self.interleaved, device=device)
        rows = self._rows  # another thread may put others there meanwhile
        if len(rows) < count or rows.device != device:
            some = min(self.max_positions, 2 * count)
            with torch.inference_mode(False):  # they may serve a training later
                rows = sinusoids(some, self.width, interleaved=self.interleaved, device=device)
            self._rows = rows
        return rows


def sinusoids(
    positions: int,
    width: int,
    *,
    interleaved: bool = True,
    device: torch.device | str | None = None,
) -> Tensor:
    """The waves of :class:`SinusoidalPositions` for the first positions, ``[position, width]``."""
    return waves(torch.arange(positions, device=device), width, interleaved=interleaved)


def waves(
    positions: Tensor, width: int, *, interleaved: bool, phases: torch.dtype = torch.float64
) -> Tensor:
    """The waves at any whole numbers, negative ones too: ``[position]`` to ``[position, width]``.

    A phase of some hundred radians leaves float32 few digits, so phases are computed in float64;
    ``phases`` is for models that were trained otherwise.
    """
    pair = torch.arange(0, width, 2, device=positions.device).to(phases)
    phase = positions[:, None] * (1 / 10000 ** (pair / width))  # [position, pair]
    sine, cosine = phase.sin(), phase.cos()[:, : width // 2]  # an odd width has one sine more
    if not interleaved:
        return torch.cat([sine, cosine], dim=1).float()
    rows = phase.new_empty(len(positions), width)
    rows[:, 0::2], rows[:, 1::2] = sine, cosine
    return rows.float()
