"""The same gap read by a model that sees both sides, and the masks of both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.i18n import _
from app.parts.model_picker import HIDDEN_WORDS
from app.parts.notices import notices
from app.parts.table_card import Cell, table_card
from app.sections.next_word.next_word_view import MaskSquare, next_masks
from app.sections.next_word.reading import PositionReading
from core.engine import call
from core.tasks import FillMaskResult, attend, fill_mask
from core.tokenisation import readable

TOP = 5
MASK = "[MASK]"
MOST_DRAWN = 24  # tokens of a mask


@dataclass(frozen=True)
class Gap:
    """The position as a bidirectional model reads it.

    Attributes:
        bare: the prompt with a mask at its end.
        filled: the same with what follows in the text; at its end, with a full stop.
        typed: what follows, as the heading says it.
    """

    bare: str
    filled: str
    typed: str


def gap_of(reading: PositionReading) -> Gap:
    """The text with a mask at the position; a word that is cut into pieces is masked as a whole."""
    encoding, position = reading.encoding, reading.position
    if reading.at_end:
        prompt = reading.prompt.rstrip()
        return Gap(f"{prompt} {MASK}", f"{prompt} {MASK} .", ".")
    word = encoding.words[position]
    span = None if word is None else encoding.spans[word]
    start, end = span[1:] if span else encoding.offsets[position]
    text = encoding.texts[0]
    before, after = text[:start].rstrip(), text[end:]
    bare = f"{before} {MASK}"
    return Gap(bare, f"{bare}{after}", " ".join(after.split()))


def draw_contrast(reading: PositionReading, title: str, status: DeltaGenerator) -> None:
    """Draw the first guesses of the causal model and of one that sees both sides.

    Args:
        reading: the position.
        title: of the causal model.
        status: where a wait is spoken of.
    """
    other = HIDDEN_WORDS.default_model()
    gap = gap_of(reading)
    with notices():
        bare, filled = _read(other.name, gap, status)
        heads = [
            Cell(_("{model}, nothing after").format(model=title)),
            Cell(_("{model}, nothing after").format(model=other.title)),
            Cell(_("{model}, then “{text}”").format(model=other.title, text=_short(gap.typed))),
        ]
        number = len(bare.masks) - 1  # the text may have masks of its own before the gap
        columns = [_own_guesses(reading), _guesses(bare, number), _guesses(filled, number)]
        table_card(
            _("The same place, read by {model}").format(model=other.title),
            _("five likeliest of each"),
            heads,
            [[Cell(words[row]) for words in columns] for row in range(TOP)],
            note=_(
                "With nothing after the gap, {model} expects the sentence to end. What follows"
                " changes its guess, and never that of {ours}."
            ).format(model=other.title, ours=title),
        )


def draw_masks(reading: PositionReading, title: str, status: DeltaGenerator) -> None:
    """Draw who may look at whom in both models.

    Args:
        reading, title, status: as in :func:`draw_contrast`.
    """
    other = HIDDEN_WORDS.default_model()
    with notices():
        gap = gap_of(reading)
        bare, filled = _read(other.name, gap, status)
        read = ask(call(attend, other.name, gap.filled), status)
        ours, theirs = reading.read.maps[0].masked, read.maps[0].masked
        tokens = len(ours)
        count = int((~ours).sum())
        seen = reading.read.maps[0].seen
        rule = _("each token sees itself and what is before it")
        if seen < tokens:
            rule = _("each token sees itself and up to {count} before it").format(count=seen - 1)
        note = _(
            "{model}: {seen} of {all} cells, {rule}."
            " {other}: every token sees every other. Amber: the row that predicts."
        ).format(model=title, seen=count, all=tokens * tokens, rule=rule, other=other.title)
        if max(tokens, len(theirs)) > MOST_DRAWN:
            note += " " + _("Drawn: the first {count} tokens.").format(count=MOST_DRAWN)
        next_masks(
            [
                _square(title, reading.encoding.pieces, ours, reading.position - 1),
                _square(
                    other.title,
                    read.encoding.pieces,
                    theirs,
                    filled.masks[len(bare.masks) - 1].position,
                ),
            ],
            note=note,
            key="next_masks",
        )


def _square(title: str, pieces: tuple[str, ...], masked: NDArray[np.bool_], row: int) -> MaskSquare:
    drawn = masked[:MOST_DRAWN, :MOST_DRAWN]
    label = _("Mask of {model}: {seen} of {all} cells may be looked at. Arrow keys read one.")
    return MaskSquare(
        title,
        pieces[:MOST_DRAWN],
        drawn,
        row if row < len(drawn) else None,
        label.format(model=title, seen=int((~drawn).sum()), all=drawn.size),
    )


def _own_guesses(reading: PositionReading) -> list[str]:
    scores = reading.found.scores.astype(np.float64)
    shares = np.exp(scores - scores[0])
    shares /= shares.sum()
    ids = reading.found.ids[:TOP].tolist()
    found = zip(ids, shares[:TOP].tolist(), strict=True)
    return _padded([_said(reading.decoded.pieces[number], share) for number, share in found])


def _read(
    checkpoint: str, gap: Gap, status: DeltaGenerator
) -> tuple[FillMaskResult, FillMaskResult]:
    first, second = (call(fill_mask, checkpoint, text, top=TOP) for text in (gap.bare, gap.filled))
    return ask(first, status), ask(second, status)


def _guesses(result: FillMaskResult, mask: int) -> list[str]:
    return _padded(
        [
            _said(readable(one.token, byte_level=result.byte_level), one.probability)
            for one in result.masks[mask].predictions
        ]
    )


def _said(piece: str, share: float) -> str:
    percent = f"{share * 100:.1f}" if share < 0.0995 else f"{share * 100:.0f}"
    return f"{piece} {percent}\N{NO-BREAK SPACE}%"


def _padded(words: list[str]) -> list[str]:
    return [*words, *[""] * (TOP - len(words))]


def _short(text: str) -> str:
    return text if len(text) <= 12 else text[:11].rstrip() + "…"
