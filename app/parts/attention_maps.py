"""The maps of one kind of attention, as a page hands them to the canvas."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.parts.attention_levels import Summary, summarise


@dataclass(frozen=True)
class Suggestion:
    """A head worth a look.

    Args:
        label: what it does, in the reader's language.
        share: how much of its attention does so, as the reader sees it.
        layer, head: counted from 0.
    """

    label: str
    share: str
    layer: int
    head: int


@dataclass(frozen=True, eq=False)
class MapSet:
    """The maps of one kind of attention: every head of every layer over one pair of texts.

    Args:
        name: stands in the page address, for example ``encoder`` or ``cross``.
        weights: non-negative float array ``[layer, head, query, key]``. Rows that
            ``masked_rows`` marks may hold anything, also NaN.
        query_tokens: one readable string for each row.
        key_tokens: one readable string for each column.
        label: what a reader sees where there are several sets; ``name`` when empty.
        query_special, key_special: one boolean a token, True for tokens such as [CLS].
        query_label, key_label: what rows and columns are, where they are different texts.
        masked_rows: boolean ``[query]``, True where a query may attend to nothing.
        masked_cells: boolean ``[query, key]``, True where this query may not see this key.
        suggestions: heads of this set that are offered below the atlas.
        query_words, key_words: number of each token's word, None for a token of no word.
        query_word_texts, key_word_texts: every word's spelling, by its number.
        query_segments, key_segments: 0 for a token of the first text, 1 for one of the second.
        breaks_down: whether the channel can say how one weight came about.

    Attributes:
        summary: row maxima and sinks of the weights.

    Raises:
        ValueError: when lengths disagree, a weight is negative or not finite, a word has no
            spelling, a suggested head does not exist, or there is nothing to draw.
    """

    name: str
    weights: NDArray[np.floating[Any]]
    query_tokens: Sequence[str]
    key_tokens: Sequence[str]
    label: str = ""
    query_special: Sequence[bool] | None = None
    key_special: Sequence[bool] | None = None
    query_label: str = ""
    key_label: str = ""
    masked_rows: NDArray[np.bool_] | None = None
    masked_cells: NDArray[np.bool_] | None = None
    suggestions: Sequence[Suggestion] = ()
    query_words: Sequence[int | None] | None = None
    key_words: Sequence[int | None] | None = None
    query_word_texts: Sequence[str] = ()
    key_word_texts: Sequence[str] = ()
    query_segments: Sequence[int] | None = None
    key_segments: Sequence[int] | None = None
    breaks_down: bool = True
    summary: Summary = field(init=False)

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("A set of maps needs a name.")
        if self.weights.ndim != 4:
            raise ValueError(
                f"Weights of {self.name!r} need four axes [layer, head, query, key], "
                f"not {self.weights.ndim}."
            )
        if 0 in self.weights.shape:
            raise ValueError(f"Weights of {self.name!r} are empty: shape {self.weights.shape}.")
        layers, heads, queries, keys = self.weights.shape
        self._expect_length("query tokens", self.query_tokens, queries)
        self._expect_length("key tokens", self.key_tokens, keys)
        self._expect_length("query special marks", self.query_special, queries)
        self._expect_length("key special marks", self.key_special, keys)
        self._expect_length("query words", self.query_words, queries)
        self._expect_length("key words", self.key_words, keys)
        self._expect_length("query segments", self.query_segments, queries)
        self._expect_length("key segments", self.key_segments, keys)
        self._expect_spellings(self.query_words, self.query_word_texts)
        self._expect_spellings(self.key_words, self.key_word_texts)
        for segment in (*(self.query_segments or ()), *(self.key_segments or ())):
            if segment not in (0, 1):
                raise ValueError(f"{self.name!r} has a token of segment {segment}, not 0 or 1.")
        self._expect_shape("masked rows", self.masked_rows, (queries,))
        self._expect_shape("masked cells", self.masked_cells, (queries, keys))
        for one in self.suggestions:
            if not (0 <= one.layer < layers and 0 <= one.head < heads):
                raise ValueError(f"{self.name!r} has no layer {one.layer}, head {one.head}.")
        try:
            found = summarise(self.weights, self.fully_masked_rows())
        except ValueError as error:
            raise ValueError(f"Weights of {self.name!r} are {error}.") from error
        object.__setattr__(self, "summary", found)

    @property
    def identity(self) -> str:
        """The same for the same maps over the same tokens, whatever else is said about them."""
        digest = hashlib.blake2b(self.summary.scales.tobytes(), digest_size=12)
        layers, heads = self.weights.shape[:2]
        tokens = [list(self.query_tokens), list(self.key_tokens)]
        digest.update(json.dumps([self.name, layers, heads, *tokens]).encode("ascii"))
        return digest.hexdigest()

    def fully_masked_rows(self) -> NDArray[np.bool_]:
        """Rows that may attend to nothing, marked so or masked in every cell: ``[query]``."""
        rows = np.zeros(self.weights.shape[2], dtype=np.bool_)
        if self.masked_rows is not None:
            rows |= self.masked_rows
        if self.masked_cells is not None:
            rows |= self.masked_cells.all(axis=1)
        return rows

    def _expect_length(self, what: str, values: Sequence[object] | None, length: int) -> None:
        if values is not None and len(values) != length:
            raise ValueError(f"{self.name!r} has {len(values)} {what} for {length} in the weights.")

    def _expect_shape(
        self, what: str, values: NDArray[np.bool_] | None, shape: tuple[int, ...]
    ) -> None:
        if values is not None and values.shape != shape:
            raise ValueError(f"{self.name!r} has {what} of shape {values.shape}, not {shape}.")

    def _expect_spellings(self, words: Sequence[int | None] | None, texts: Sequence[str]) -> None:
        for word in words or ():
            if word is not None and not 0 <= word < len(texts):
                raise ValueError(f"{self.name!r} has no spelling for word {word}.")
