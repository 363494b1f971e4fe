"""Both sides as they were read: with the same words hidden, on the same rows and columns."""

from __future__ import annotations

from dataclasses import dataclass

from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.sections.compare.compared_maps import Heads
from app.sections.compare.sides import Sides
from app.settings import Settings
from app.state import current_settings, numbers_of
from core.engine import Call, call
from core.tasks.compare_attention import AttentionKind, kinds_of, partner_words, share_axis
from core.tasks.forward import encode
from core.tasks.read_side import Guess, SideReading
from core.tokenisation import Encoding

NOTHING = "-"  # the reader has shown every word again
HIDDEN_WORD = 5  # of the first sentence: "street"


@dataclass(frozen=True)
class ComparedReadings:
    """Both sides.

    Attributes:
        sides: what is compared.
        left, right: what was read, words hidden.
        first, second: what came of it.
        typed, other: the texts, no word hidden.
        hidden: numbers of the hidden words.
        replaced: numbers of the words that the texts do not share.
    """

    sides: Sides
    left: Call[SideReading]
    right: Call[SideReading]
    first: SideReading
    second: SideReading
    typed: Encoding
    other: Encoding
    hidden: tuple[int, ...]
    replaced: tuple[int, ...]

    @property
    def kind(self) -> AttentionKind | None:
        """The kind of attention that is compared; None where the sides have none in common."""
        first, second = kinds_of(self.first.attention), kinds_of(self.second.attention)
        common = [kind for kind in first if kind in second]
        asked = current_settings().set
        return next((kind for kind in common if kind == asked), next(iter(common), None))

    @property
    def guess(self) -> int:
        """Number of the guess that is looked at."""
        last = max(len(self.first.guesses) - 1, 0)
        return min(current_settings().mask, last)

    def guesses(self) -> tuple[Guess, Guess] | None:
        """The guess that is looked at, on both sides; None where one side has none there."""
        if not self.first.guesses:
            return None
        left = self.first.guesses[self.guess]
        same, others = self.of_word(left.word)
        if not others:
            return None
        # Of as many pieces the one in the same place, else the first one.
        return left, others[same.index(left)] if len(same) == len(others) else others[0]

    def of_word(self, word: int | None) -> tuple[list[Guess], list[Guess]]:
        """All guesses of both sides for a word of the first text."""
        partners: tuple[int | None, ...] = (None,)
        if word is not None:
            partners = partner_words(self.typed, self.other, (word,))
        return (
            [one for one in self.first.guesses if one.word == word],
            [one for one in self.second.guesses if one.word in partners],
        )


def shown_heads(left: tuple[int, ...], right: tuple[int, ...]) -> Heads:
    """Layer and head that are drawn of either side; without a choice on the right its namesake.

    Args:
        left, right: shapes ``[layer, head, ...]``.
    """
    settings = current_settings()
    first = _within(settings.layer, settings.head, left)
    layer = first[0] if settings.other_layer < 0 else settings.other_layer
    head = first[1] if settings.other_head < 0 else settings.other_head
    return first, _within(layer, head, right)


def _within(layer: int, head: int, shape: tuple[int, ...]) -> tuple[int, int]:
    return min(layer, shape[0] - 1), min(head, shape[1] - 1)


def read_both(sides: Sides, status: DeltaGenerator) -> ComparedReadings:
    """Ask both models.

    Raises:
        WordsDifferError: the texts cannot be put side by side.
        HeadlightError: as in :func:`app.ask.ask`.
    """
    typed, other = (_typed(sides, side, status) for side in (sides.left, sides.right))
    axis = share_axis(typed, other, by_words=True)
    replaced = tuple(
        word
        for at in axis.replaced
        for word in {typed.words[token] for token in axis.left[at]}
        if word is not None
    )
    hidden = _hidden(sides, typed, replaced)
    left = sides.left.changed(mask_words=hidden)
    partners = partner_words(typed, other, hidden)
    right = sides.right.changed(mask_words=partners)
    first, second = ask(left, status), ask(right, status)
    return ComparedReadings(sides, left, right, first, second, typed, other, hidden, replaced)


def _typed(sides: Sides, side: Call[SideReading], status: DeltaGenerator) -> Encoding:
    """A text as it stands, no word hidden."""
    if sides.guesses_hidden_words:  # a pass with words hidden follows, and one is enough
        return ask(call(encode, side.checkpoint, side["text"]), status)
    return ask(side, status).attention.encoding


def _hidden(sides: Sides, typed: Encoding, replaced: tuple[int, ...]) -> tuple[int, ...]:
    """What the reader hides; without a choice the last word of both texts."""
    settings = current_settings()
    if not sides.guesses_hidden_words or settings.hide == NOTHING:
        return ()
    words = {word for word in numbers_of(settings.hide) if word < len(typed.spans)}
    if words:
        return tuple(sorted(words))
    if typed.texts[0] == Settings.text:
        return (HIDDEN_WORD,)
    shared = [
        number
        for number, word in enumerate(typed.spellings)
        if number not in replaced and word[0].isalnum()
    ]
    return tuple(shared[-1:])
