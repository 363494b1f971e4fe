"""A sentence in which tokens were replaced, lit by what a discriminator thinks of each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.figures.operating_points import score_figures
from app.figures.theme import FigureTheme
from app.i18n import current_language
from app.parts.choices import Choice, address_choices
from app.parts.figure import figure_theme, value_strings
from app.parts.said import answered, read_number, said
from app.parts.scripts import script_component, vega_address
from app.sections.replaced.replaced_strings import point_words, replaced_strings
from app.wire import pack
from core.analysis.operating_points import operating_points
from core.tasks.replace_by_generator import WEIGHT

OWN: Final = ("threshold", "marked")  # settings that the picture keeps in the browser


@dataclass(frozen=True)
class Token:
    """One token that the discriminator read.

    Args:
        piece: as a person can read it.
        word: number of the word that it belongs to; tokens without one cannot be marked.
        special: whether the tokenizer added it.
        probability: that it was replaced; None where it is not judged.
        truth: whether it was; None where that is not known.
        nats: what the model loses here; None without a truth.
        was: what stood here before.
        drawn_again: whether the generator happened to draw the original.
    """

    piece: str
    word: int | None
    special: bool = False
    probability: float | None = None
    truth: bool | None = None
    nats: float | None = None
    was: str = ""
    drawn_again: bool = False


@dataclass(frozen=True)
class SampledPiece:
    """A hidden token: what stood there, what the generator drew and how likely that was.

    `candidates` are the likeliest pieces with their probabilities, `nats` is what the generator
    loses here.
    """

    position: int
    hidden: str
    drawn: str
    probability: float
    same: bool
    nats: float
    candidates: Sequence[tuple[str, float]]


@dataclass(frozen=True)
class Losses:
    """Mean losses in nats: the generator's a hidden token, the discriminator's a token, and both.

    Without a generator there is only the second.
    """

    masked: float | None
    replaced: float
    together: float | None = None


@dataclass(frozen=True)
class EditableWord:
    """A word of the sentence: its number, what stands there now, and what was typed."""

    number: int
    text: str
    original: str


@dataclass(frozen=True)
class ReplacedPicture:
    """What is drawn.

    Args:
        identity: the same for the same tokens and truths.
        tokens: all of them, in order.
        samples: where the generator drew; empty where the reader changed words.
        losses: of this sentence; None where no truth is known.
        words: those that the reader can change; None where the generator replaces.
    """

    identity: str
    tokens: Sequence[Token]
    samples: Sequence[SampledPiece]
    losses: Losses | None
    words: Sequence[EditableWord] | None = None


def replaced_view(
    picture: ReplacedPicture,
    choice: Choice,
    *,
    mark_first: bool,
    key: str,
    on_edit: Callable[[], None],
) -> None:
    """Draw the picture; threshold, marks and scores live in the browser and rerun nothing.

    Args:
        picture: what to draw.
        choice: what the last scene says, with a number of its own.
        mark_first: whether the answer waits until the reader has marked words.
        key: identity of this picture on its page.
        on_edit: called when the reader has changed words; `edited_words(key)` says which.
    """
    payload = replaced_payload(
        picture,
        choice,
        mark_first=mark_first,
        answered=answered(key, "edit"),
        presented=figure_theme().presented,
    )
    component = script_component(
        "sections/replaced/main",
        "replaced",
        sheets=("css/figure_values", "css/vega_chart", "sections/replaced/replaced"),
    )
    component(data=payload, key=key, on_edit_change=on_edit)


def edited_words(key: str) -> list[tuple[int, str]]:
    """The words that the reader has just changed, and what they wrote, in their order."""
    found = [(read_number(one.get("word")), one.get("text")) for one in said(key, "edit")]
    return [(word, text) for word, text in found if word is not None and isinstance(text, str)]


def replaced_payload(
    picture: ReplacedPicture,
    choice: Choice = None,
    *,
    mark_first: bool = False,
    answered: Mapping[str, int] | None = None,
    presented: bool = False,
) -> bytes:
    """The message for the script."""
    strings = replaced_strings()
    return pack(
        {
            **vars(picture),
            "markFirst": mark_first,
            "answered": answered or {},
            "weight": WEIGHT,
            **address_choices(OWN, choice),
            "strings": {**strings, "saved": value_strings("")},
            "curves": curves_of(picture.tokens),
            "specs": _specs(current_language(), presented),
            "vega": vega_address(),
        }
    )


def curves_of(tokens: Sequence[Token]) -> dict[str, Any] | None:
    """The operating points of the tokens that were typed; None without both kinds among them."""
    scores: list[float] = []
    truths: list[bool] = []
    for one in tokens:
        if not one.special and one.probability is not None and one.truth is not None:
            scores.append(one.probability)
            truths.append(one.truth)
    if len(set(truths)) < 2:
        return None
    found = operating_points(scores, truths)
    return {
        "thresholds": _finite(found.thresholds),
        "recall": _finite(found.recall),
        "rate": _finite(found.false_positive_rate),
        "precision": _finite(found.precision),
        "rocArea": found.roc_area,
        "averagePrecision": found.average_precision,
    }


def _finite(values: NDArray[np.float64]) -> list[float | None]:
    return [float(one) if np.isfinite(one) else None for one in values]


@cache
def _specs(_language: str, presented: bool) -> dict[str, Any]:
    """The charts by name, for each scheme of colours."""
    return {
        scheme: {
            name: chart.to_dict()
            for name, chart in score_figures(
                point_words(), FigureTheme(scheme == "dark", presented)
            ).items()
        }
        for scheme in ("light", "dark")
    }
