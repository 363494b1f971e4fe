"""The sentence with its hidden word."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.parts.mask_strip import Chip, hidden_words, mask_strip
from app.parts.sentence_box import Example, examples, sentence_field, sentence_row
from app.settings import Settings
from app.state import choose, current_settings, numbers_of
from core.engine import call
from core.tasks.forward import encode
from core.tokenisation import Encoding

STRIP = "family-strip"
GAP = "___"
TYPED = "[MASK]"  # as the vocabulary of the first model has it, whatever a reader typed
HIDDEN_WORD = 5  # of the first sentence: "street"
EXAMPLES = (
    Example(Settings.text),
    Example("She is eating a green apple."),
    Example("The FBI is chasing a criminal on the run ."),
    Example("the man went to the [MASK] to buy a gallon of milk"),
    Example("i have a funny story about dinosours"),
    Example("Super Bowl 50 was an American football game to determine the champion."),
)


@dataclass(frozen=True)
class Sentence:
    """What every model reads.

    Attributes:
        text: as typed.
        words: numbers of the words that the page hides; none where masks were typed.
        spellings: of all words.
    """

    text: str
    words: tuple[int, ...]
    spellings: tuple[str, ...]

    @property
    def word(self) -> int:
        """The word that is looked at: the hidden one, else the last."""
        return self.words[0] if self.words else len(self.spellings) - 1


def draw_field() -> tuple[str, DeltaGenerator]:
    """Draw the text field with its examples; return the text and where a wait is spoken of."""
    with sentence_row():
        text = sentence_field()
        examples(EXAMPLES)
        status = st.container(key="sentence-status").empty()
    return text, status


def draw_words(text: str, status: DeltaGenerator) -> Sentence:
    """Draw the words, of which one is hidden.

    Raises:
        HeadlightError: as in :func:`app.ask.ask`.
    """
    encoding = ask(call(encode, Settings.model, text), status)
    sentence = Sentence(text, _hidden(encoding), encoding.spellings)
    typed = _typed_masks(encoding)
    with st.container(key="family-words"):
        mask_strip(
            [
                Chip(word, number, typed=number in typed)
                for number, word in enumerate(encoding.spellings)
            ],
            sentence.words,
            mask_token=GAP,
            selected=sentence.words[0] if sentence.words else -1,
            note="",
            key=STRIP,
            on_hide=lambda: _remember(sentence.words),
            on_mask=lambda: choose("hide", ""),
        )
    return sentence


def _remember(before: tuple[int, ...]) -> None:
    """One word is hidden at a time; the one that was is shown again."""
    new = [word for word in hidden_words(STRIP) or () if word not in before]
    if new:
        choose("hide", str(new[-1]))


def _typed_masks(encoding: Encoding) -> frozenset[int]:
    """Numbers of the words that are masks in the text."""
    return frozenset(
        word
        for token, word, special in zip(
            encoding.tokens, encoding.words, encoding.special, strict=True
        )
        if token == TYPED and word is not None and not special
    )


def _hidden(encoding: Encoding) -> tuple[int, ...]:
    typed = _typed_masks(encoding)
    chosen = numbers_of(current_settings().hide)
    for word in chosen:
        if word < len(encoding.spans) and word not in typed:
            return (word,)
    if typed:
        return ()
    if encoding.texts[0] == Settings.text:
        return (HIDDEN_WORD,)
    return (encoding.last_word(),)
