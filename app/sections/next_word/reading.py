"""Which position of the text is asked for, and what the model says there."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.settings import Settings
from app.state import current_settings
from core.engine import call
from core.tasks import AttendResult, attend
from core.tasks.next_word import DecodedVocabulary, NextWord, decode_vocabulary, next_word
from core.tokenisation import Encoding

OPENING_WORD = 10  # of the first sentence: "tired"


@dataclass(frozen=True)
class PositionReading:
    """One position of one text.

    Attributes:
        checkpoint: name of the model.
        read: the same text with all attention.
        found: what the model expects at the position.
        decoded: what pieces add to a text.
    """

    checkpoint: str
    read: AttendResult
    found: NextWord
    decoded: DecodedVocabulary

    @property
    def encoding(self) -> Encoding:
        """The text as the model read it."""
        return self.found.encoding

    @property
    def position(self) -> int:
        """The token that is asked for; as many as there are for the end."""
        return self.found.position

    @property
    def at_end(self) -> bool:
        """Whether nothing stands there yet."""
        return self.position == len(self.encoding)

    @property
    def identity(self) -> str:
        """Names the distribution, for choices that arrive when another one is shown."""
        asked = f"{self.checkpoint}\0{self.encoding.texts[0]}\0{self.position}"
        return hashlib.sha256(asked.encode(errors="replace")).hexdigest()[:16]

    @property
    def prompt(self) -> str:
        """What the model has seen: the text up to the position."""
        return self.text_up_to(self.position)

    def text_up_to(self, position: int) -> str:
        """The text before a token, without the space that belongs to it."""
        text = self.encoding.texts[0]
        return (
            text
            if position == len(self.encoding)
            else text[: self.encoding.offsets[position - 1][1]]
        )

    def added(self, rank: int) -> str:
        """What a candidate adds to the prompt; empty where it cannot be read alone."""
        if not 0 <= rank < len(self.found.ids):
            return ""
        return self.decoded.texts[self.found.ids[rank]]

    def bits(self) -> list[float | None]:
        """By how much each token surprised the model; None for the first."""
        bits = self.found.surprises / np.log(2)
        return [None if np.isnan(one) else float(one) for one in bits]

    def bits_a_byte(self) -> tuple[float, float] | None:
        """Mean surprise of a piece and of a byte, of all but the first; None of a single one."""
        known = [one for one in self.bits() if one is not None]
        rest = self.encoding.texts[0][self.encoding.offsets[0][1] :].encode(errors="replace")
        if not known or not rest:
            return None
        return sum(known) / len(known), sum(known) / len(rest)


def read_position(checkpoint: str, text: str, status: DeltaGenerator) -> PositionReading:
    """Ask the model.

    Raises:
        HeadlightError: as in :func:`app.ask.ask`.
    """
    read = ask(call(attend, checkpoint, text), status)
    found = ask(call(next_word, checkpoint, text, _position(read.encoding)), status)
    return PositionReading(
        checkpoint, read, found, ask(call(decode_vocabulary, checkpoint), status)
    )


def _position(encoding: Encoding) -> int | None:
    """Where the reader looks; without a choice the end, in the first sentence its last word."""
    asked = current_settings().place
    if 1 <= asked < len(encoding):
        return asked
    opening = encoding.tokens_of(OPENING_WORD) if encoding.texts[0] == Settings.text else ()
    return opening[0] if opening and asked < 0 else None
