"""What is hidden, which mask is looked at, and what the model says there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.sections.fill_mask.mask_predictions import Filling
from app.state import current_settings, heads_of, numbers_of
from core.engine import Call, call
from core.tasks import (
    FillMaskResult,
    HeadAblations,
    LensResult,
    MaskComparison,
    MaskedToken,
    ablate_each,
    compare_masks,
    fill_mask,
    find_masks,
    logit_lens,
)
from core.tasks.errors import NoMaskError
from core.tokenisation import Encoding, readable
from core.tokenisation.display import CONTINUATION, SPACE

MOST_CANDIDATES = 20
LENS_WORDS = 3  # of each layer, and of the last that are followed through all
COMPARED = 4  # words of each side of a comparison
NOTHING = "-"  # the reader has shown every word again


@dataclass(frozen=True)
class MaskedReading:
    """One sentence with its masks.

    Attributes:
        typed: the sentence as it stands, nothing hidden.
        hidden: numbers of the words that are hidden on this page.
        result: predictions of every mask, and the attention of the same pass.
        mask: number of the mask that is looked at.
    """

    checkpoint: str
    typed: Encoding
    hidden: tuple[int, ...]
    result: FillMaskResult
    mask: int

    @property
    def chosen(self) -> MaskedToken:
        """The mask that is looked at."""
        return self.result.masks[self.mask]

    @property
    def choices(self) -> list[int]:
        """For every mask the number of its chosen candidate, the first one without a choice."""
        numbers = numbers_of(current_settings().choice)
        found = []
        for at, mask in enumerate(self.result.masks):
            number = numbers[at] if at < len(numbers) else 0
            found.append(number if number < len(mask.predictions) else 0)
        return found

    @property
    def mask_token(self) -> str:
        """What stands in the place of a hidden token."""
        return self.result.encoding.tokens[self.chosen.position]

    @property
    def masked_text(self) -> str:
        """The sentence with its masks written out."""
        return self.result.texts[0]

    @property
    def off(self) -> tuple[tuple[int, int], ...]:
        """The heads that the reader has turned off; those that this model lacks are left out."""
        patterns = self.result.patterns
        layers, heads = patterns.shape[:2] if patterns is not None else (0, 0)
        pairs = {(la, he) for la, he in heads_of(current_settings().off) if la < layers}
        return tuple(sorted(pair for pair in pairs if pair[1] < heads))

    def lens(self) -> Call[LensResult]:
        """What to ask for the words of each layer."""
        text = self.typed.texts[0]
        return call(logit_lens, self.checkpoint, text, mask_words=self.hidden, top=LENS_WORDS)

    def compare(
        self, *, changed: str | None = None, off: Sequence[tuple[int, int]] = ()
    ) -> Call[MaskComparison]:
        """What to ask for a comparison at the mask that is looked at."""
        return call(
            compare_masks,
            self.checkpoint,
            self.typed.texts[0],
            mask_words=self.hidden,
            mask=self.mask,
            changed=changed,
            off=off,
            top=COMPARED,
        )

    def ablations(self) -> Call[HeadAblations]:
        """What to ask for every head by itself, at the mask that is looked at."""
        return call(
            ablate_each,
            self.checkpoint,
            self.typed.texts[0],
            mask_words=self.hidden,
            mask=self.mask,
            top=MOST_CANDIDATES,
        )

    def readable(self, piece: str) -> str:
        """A piece of the vocabulary as a person can read it."""
        return readable(piece, byte_level=self.result.byte_level)

    def filling(self, piece: str) -> Filling:
        """What a piece becomes in the sentence."""
        text = self.readable(piece)
        if text.startswith(CONTINUATION) and len(text) > len(CONTINUATION):
            return Filling(text.removeprefix(CONTINUATION), joins=True)
        if text.startswith(SPACE):
            return Filling(text.removeprefix(SPACE), joins=False)
        return Filling(text, joins=self.result.marks_spaces)


@dataclass(frozen=True)
class Bare:
    """A sentence without a mask: the reader has shown every word again."""

    typed: Encoding
    mask_token: str


def wait_line(part: str) -> DeltaGenerator:
    """Where a wait is spoken of: a fragment may not write outside itself.

    Args:
        part: key of the container that is waited for; the words stand in its corner.
    """
    return st.container(key=f"{part}-status").empty()


def cards(left: str, right: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """The frames of two cards side by side, the right one wider."""
    columns = st.columns([3, 5], gap="small")
    frames = [
        column.container(key=f"card-{name}", border=True)
        for column, name in zip(columns, (left, right), strict=True)
    ]
    return frames[0], frames[1]


def read_masked(checkpoint: str, text: str, status: DeltaGenerator) -> MaskedReading | Bare:
    """Ask the model about what is hidden.

    Without a choice the masks of the text count, and where it has none, its last word is hidden.
    """
    read = ask(call(find_masks, checkpoint, text), status)
    typed, settings = read.encoding, current_settings()
    words = numbers_of(settings.hide)
    hidden = tuple(sorted({word for word in words if word < len(typed.spans)}))
    if not hidden and not read.positions:
        if settings.hide == NOTHING:
            return Bare(typed, read.mask_token)
        hidden = (typed.last_word(),)
    question = call(
        fill_mask, checkpoint, text, mask_words=hidden, top=MOST_CANDIDATES, patterns=True
    )
    result = ask(question, status)
    return MaskedReading(
        checkpoint, typed, hidden, result, min(settings.mask, len(result.masks) - 1)
    )


def found_reading(checkpoint: str, text: str, status: DeltaGenerator) -> MaskedReading:
    """The same in a part of the page that is drawn only where something is hidden.

    Raises:
        NoMaskError: the reader has just shown every word again.
    """
    reading = read_masked(checkpoint, text, status)
    if isinstance(reading, Bare):
        raise NoMaskError(reading.mask_token)
    return reading
