"""Maps for tests of the attention canvas, over tokens that no model has read."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.parts import attention_canvas
from core.tasks import AttentionMap
from core.tokenisation import Encoding, Word


def text_of(
    pieces: Sequence[str],
    *,
    special: Sequence[bool] = (),
    words: Sequence[int | None] = (),
    spellings: Sequence[str] = (),
    segments: Sequence[int] = (),
) -> Encoding:
    """Tokens with what is said of them; of no word, ordinary and of one text where nothing is."""
    plain = Encoding.of_pieces(pieces)
    starts = np.cumsum([0, *map(len, spellings)]).tolist()
    return replace(
        plain,
        special=tuple(special) or plain.special,
        words=tuple(words) or plain.words,
        segments=tuple(segments) or plain.segments,
        texts=("".join(spellings),),
        spans=tuple(Word(0, *ends) for ends in pairwise(starts)),
    )


def attention_map(
    name: str,
    patterns: NDArray[Any],
    query: Encoding | Sequence[str],
    key: Encoding | Sequence[str] | None = None,
    masked: NDArray[np.bool_] | None = None,
) -> AttentionMap:
    """The maps of one kind of attention; of a text over itself where there is one."""
    query, key = (
        one if isinstance(one, Encoding) else text_of(one)
        for one in (query, query if key is None else key)
    )
    nothing = np.zeros((len(query), len(key)), np.bool_)
    return AttentionMap(name, query, key, patterns, nothing if masked is None else masked)


def masking_rows(*rows: int, tokens: int) -> NDArray[np.bool_]:
    """The mask ``[query, key]`` of a text in which some tokens see nothing."""
    masked = np.zeros((tokens, tokens), np.bool_)
    masked[list(rows)] = True
    return masked


def identity_of(one: AttentionMap) -> str:
    """How the canvas calls the maps."""
    summary = attention_canvas.summarise(one.patterns, one.masked_rows)
    return attention_canvas.identity_of(one, summary)
