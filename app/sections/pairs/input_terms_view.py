"""The terms of a model's input as heat maps on one scale, with the length of every vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.i18n import _
from app.parts.scripts import script_component
from app.wire import pack

FULL_FROM: Final = 0.99  # of all numbers, ordered by their size: few large ones pale no others


@dataclass(frozen=True)
class Term:
    """One picture.

    Args:
        name: what it is.
        sign: what stands before it in the sum.
        vectors: ``[token, width]``.
        lengths: Euclidean ``[token]``.
        own_scale: whether its colours are its own, not those that all others share.
    """

    name: str
    sign: str
    vectors: NDArray[np.float32]
    lengths: NDArray[np.float32]
    own_scale: bool = False


@dataclass(frozen=True)
class TermsPicture:
    """What is drawn.

    Args:
        title, hint: its heading and what qualifies it.
        tokens: readable, one a row.
        segments: names of the sentences that they belong to.
        terms: in the order of the sum.
    """

    title: str
    hint: str
    tokens: Sequence[str]
    segments: Sequence[str]
    terms: Sequence[Term]


def input_terms_view(picture: TermsPicture, *, key: str) -> None:
    """Draw the picture; a look at a cell reruns nothing.

    Args:
        picture: what to draw.
        key: identity of this picture on its page.
    """
    script_component("sections/pairs/input_terms", "input-terms")(
        data=terms_payload(picture), key=key
    )


def terms_payload(picture: TermsPicture) -> bytes:
    """The message for the script.

    Raises:
        ValueError: a term has other rows than there are tokens.
    """
    if any(len(one.vectors) != len(picture.tokens) for one in picture.terms):
        raise ValueError("Every term has one row a token.")
    shared = [one.vectors for one in picture.terms if not one.own_scale]
    return pack(
        {
            "title": picture.title,
            "hint": picture.hint,
            "tokens": list(picture.tokens),
            "segments": list(picture.segments),
            "width": picture.terms[0].vectors.shape[1],
            "terms": [
                {
                    "name": one.name,
                    "sign": one.sign,
                    "ownScale": one.own_scale,
                    "full": _full([one.vectors] if one.own_scale else shared),
                    "vectors": one.vectors.astype(np.float32),
                    "lengths": one.lengths.astype(np.float32),
                }
                for one in picture.terms
            ],
            "strings": _strings(),
        }
    )


def _full(arrays: Sequence[NDArray[np.float32]]) -> float:
    """The size from which on a colour is full."""
    sizes = np.abs(np.concatenate([one.ravel() for one in arrays]))
    return float(np.quantile(sizes, FULL_FROM)) or 1.0


def _strings() -> dict[str, str]:
    return {
        "label": _(
            "{rows} tokens down, {width} numbers across, for each of: {names}. Arrow keys"
            " read a number."
        ),
        "note": _(
            "Amber is negative, indigo positive, full from {shared} on; {own} after the norm."
            " Point at a cell."
        ),
        "noteShared": _(
            "Amber is negative, indigo positive, full from {shared} on. Point at a cell."
        ),
        "cell": _("“{token}”, sentence {segment}, number {dimension}: {sum}"),
        "lengths": _("length"),
        "table": _("Lengths in numbers"),
        "token": _("token"),
    }
