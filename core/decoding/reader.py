"""A model in the middle of a text: it has read some pieces and scores the next one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor

from core.device import on_one_thread
from core.hooks import captured
from core.models.blocks.attention import fused_attention
from core.models.body import Body

_SMALL_STEP = 16  # pieces, of all texts together


class Reader(ABC):
    """Reads pieces into a cache of keys and values, several texts side by side.

    Attributes:
        rows: how many texts.
    """

    def __init__(self, model: Any, rows: int, explicit: bool) -> None:
        self.rows = rows
        self._model = model
        self._cache = model.new_cache()
        self._explicit = explicit

    @torch.inference_mode()
    def read(self, ids: Tensor) -> Tensor:
        """Read the newest pieces and score the next one.

        Args:
            ids: ``[row, piece]``.

        Returns:
            ``[row, vocabulary]``, as they pass the head's hook point.

        Raises:
            SequenceTooLongError: the model has no positions left.
            NothingCapturedError: the head has no hook point.
        """
        small = ids.numel() <= _SMALL_STEP
        with (
            nullcontext() if self._explicit else fused_attention(),
            on_one_thread() if small else nullcontext(),
        ):
            hidden = self._decode(ids)
            last = hidden[:, -1]
            return captured(self._model.word_site, lambda: self._model.score_words(last))

    @torch.inference_mode()
    def keep(self, rows: Tensor) -> None:
        """Go on with the given rows, in their order; a row may be given twice, or not at all."""
        self.rows = len(rows)
        self._reorder(rows)

    def repeat(self, times: int) -> None:
        """Go on with each row so many times, side by side."""
        if times != 1:
            rows = torch.arange(self.rows, device=self.device)
            self.keep(rows.repeat_interleave(times))

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return next(self._model.parameters()).device

    @property
    @abstractmethod
    def first(self) -> Tensor:
        """What is read first, ``[row, piece]``."""

    def _reorder(self, rows: Tensor) -> None:
        self._cache.reorder(rows)

    @abstractmethod
    def _decode(self, ids: Tensor) -> Tensor:
        """``[row, piece]`` to ``[row, piece, width]``."""


class CausalReader(Reader):
    """A causal model that goes on with a text."""

    def __init__(self, model: Body, ids: Tensor, *, explicit: bool = False) -> None:
        """Begin.

        Args:
            model: in evaluation mode.
            ids: texts of one length, ``[row, piece]``.
            explicit: whether patterns are formed, for those who watch them.
        """
        super().__init__(model, len(ids), explicit)
        self._first = ids

    @property
    def first(self) -> Tensor:
        """The whole text."""
        return self._first

    def _reorder(self, rows: Tensor) -> None:
        self._first = self._first[rows]
        super()._reorder(rows)

    def _decode(self, ids: Tensor) -> Tensor:
        return self._model.decode(ids, cache=self._cache)


class TextToTextReader(Reader):
    """A model that writes a text about another one, which its encoder reads once."""

    def __init__(
        self,
        model: Body,
        source: Tensor,
        keep: Tensor | None = None,
        *,
        explicit: bool = False,
    ) -> None:
        """Read the source.

        Args:
            model: in evaluation mode.
            source: ``[row, piece]``.
            keep: boolean of the same shape, False at padding; ``None`` if nothing is padded.
            explicit: whether patterns are formed, for those who watch them.

        Raises:
            SequenceTooLongError: the source has more pieces than the model has positions.
        """
        super().__init__(model, len(source), explicit)
        self._memory_keep = None if keep is None or keep.all() else keep
        self._sources = torch.arange(len(source), device=source.device)  # which one a row is about
        with torch.inference_mode(), nullcontext() if explicit else fused_attention():
            self._memory = self._model.encode(source, self._memory_keep)

    @property
    def first(self) -> Tensor:
        """The start piece of every row."""
        start = self._model.config.start_id
        return torch.full((self.rows, 1), start, device=self.device)

    def _reorder(self, rows: Tensor) -> None:
        before, self._sources = self._sources, self._sources[rows]
        others = not torch.equal(before, self._sources)  # beams of one text share its memory
        if others and self._cache.length == 0:  # afterwards the cache has all that is needed of it
            self._memory = self._memory[rows]
        if others and self._memory_keep is not None:
            self._memory_keep = self._memory_keep[rows]
        self._cache.reorder(rows, memory=others)

    def _decode(self, ids: Tensor) -> Tensor:
        return self._model.decode(
            ids, self._memory, memory_keep=self._memory_keep, cache=self._cache
        )


def reader_of(
    model: Body, ids: Tensor, keep: Tensor | None = None, *, explicit: bool = False
) -> Reader:
    """The reader of a model: for one with two sides, the ids are those of the source.

    Raises:
        TypeError: the model writes no texts.
    """
    if model.text_to_text:
        return TextToTextReader(model, ids, keep, explicit=explicit)
    if model.causal:
        return CausalReader(model, ids, explicit=explicit)
    raise TypeError(f"{type(model).__name__} writes no texts")
