"""Heads worth a look in one text, in the reader's language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.i18n import _
from core.analysis.roles import notable_heads, punctuation_columns
from core.tokenisation import Encoding

# As many as stand below the atlas in two lines; the first ones are the plainest.
MOST: Final = 5

LABELS: Final[dict[str, Callable[[Encoding], str]]] = {
    "previous": lambda _encoding: _("looks one token back"),
    "next": lambda _encoding: _("looks one token ahead"),
    "itself": lambda _encoding: _("looks at itself"),
    "first": lambda encoding: _("looks at {token}").format(token=encoding.pieces[0]),
    "separator": lambda encoding: _("looks at {token}").format(token=_separators(encoding)),
    "punctuation": lambda encoding: _punctuation(encoding),
    "repeated": lambda _encoding: _("looks at repeats"),
    "broad": lambda _encoding: _("looks everywhere"),
}


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


def suggest_heads(patterns: NDArray[np.floating[Any]], encoding: Encoding) -> list[Suggestion]:
    """The head that plays each simple role best in this text, where it plays it convincingly.

    Args:
        patterns: attention weights ``[layer, head, query, key]``.
        encoding: the tokens that ran.
    """
    found = notable_heads(patterns, encoding.special, encoding.pieces)
    return [
        Suggestion(LABELS[one.role](encoding), f"{one.share:.2f}", one.layer, one.head)
        for one in found[:MOST]
    ]


def _separators(encoding: Encoding) -> str:
    marked = zip(encoding.pieces, encoding.special, strict=True)
    behind = [piece for piece, special in list(marked)[1:] if special]
    return ", ".join(dict.fromkeys(behind))


def _punctuation(encoding: Encoding) -> str:
    marks = punctuation_columns(encoding.pieces)
    kinds = {piece for piece, is_mark in zip(encoding.pieces, marks, strict=True) if is_mark}
    if len(kinds) > 1:
        return _("looks at punctuation")
    return _("looks at “{token}”").format(token=kinds.pop())
