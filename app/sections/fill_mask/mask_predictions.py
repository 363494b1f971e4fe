"""What could stand in the place of a mask: bars to choose from, and the sentence read back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app.i18n import _
from app.parts.said import answered, read_number, said
from app.parts.scripts import script_component


@dataclass(frozen=True)
class Filling:
    """What a piece becomes in a sentence.

    Args:
        text: without the signs of its vocabulary.
        joins: whether it goes on with what stands before it, without a space.
    """

    text: str
    joins: bool


@dataclass(frozen=True)
class CandidateWord:
    """A word that could stand there, its probability, also as text, and what it becomes."""

    word: str
    share: float
    percent: str
    filling: Filling


@dataclass(frozen=True)
class Mask:
    """A mask: its name, and the word that it hides."""

    name: str
    word: str


@dataclass(frozen=True)
class SentencePart:
    """A part of the sentence: text of the reader's, or what is put in the place of a mask."""

    text: str
    mask: int | None = None
    joins: bool = False


def mask_predictions(
    masks: Sequence[Mask],
    mask: int,
    candidates: Sequence[CandidateWord],
    chosen: int,
    sentence: Sequence[SentencePart],
    *,
    top: int,
    key: str,
    listeners: Mapping[str, Callable[[], None]],
) -> None:
    """Draw the card.

    Args:
        masks: all of them, in order.
        mask: the one that is looked at.
        candidates: of this mask, the likeliest first; as many as can be asked for.
        chosen: which of them stands in the sentence.
        sentence: all of it, with what is chosen for every mask.
        top: how many candidates are shown.
        key: identity of this card on its page.
        listeners: what to call when the reader chooses, by ``"mask"``,
            ``"choice"`` (see `chosen_candidates`) and ``"top"``; see :mod:`app.parts.said`.
    """
    data = {
        "masks": [asdict(one) for one in masks],
        "mask": mask,
        "candidates": [_candidate(one) for one in candidates],
        "chosen": chosen,
        "sentence": [asdict(part) for part in sentence],
        "top": top,
        "most": len(candidates),
        "hint": masks[mask].name if len(masks) > 1 else "",
        "answered": answered(key, *listeners),
        "strings": {
            "title": _("What could stand there"),
            "top": _("top"),
            "masks": _("Masks"),
            "candidates": _("Candidates: choose one to read it in the sentence"),
        },
    }
    given: dict[str, Any] = {f"on_{name}_change": listener for name, listener in listeners.items()}
    script_component("sections/fill_mask/mask_predictions", "predictions")(
        data=data, key=key, **given
    )


def chosen_candidates(key: str) -> list[tuple[int, int]]:
    """Mask and number of the candidates just chosen, in their order; call it in the listener."""
    messages = said(key, "choice")
    pairs = [(read_number(one.get("mask")), read_number(one.get("index"))) for one in messages]
    return [(mask, index) for mask, index in pairs if mask is not None and index is not None]


def _candidate(one: CandidateWord) -> dict[str, object]:
    return {
        "word": one.word,
        "share": one.share,
        "percent": one.percent,
        "text": one.filling.text,
        "joins": one.filling.joins,
    }
