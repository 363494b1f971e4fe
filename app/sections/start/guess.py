"""One word hidden, and what the model would put in its place."""

import streamlit as st

from app.ask import ask
from app.i18n import _
from app.parts.notices import notices
from app.parts.said import read_number, said
from app.sections.start.word_guess import Guess, Stretch, word_guess
from app.state import choose, current_settings, numbers_of, write_numbers
from app.theme import percent
from core.engine import call
from core.tasks import FillMaskResult, MaskedToken, fill_mask, find_masks
from core.tokenisation import Encoding, readable

KEY = "word_guess"
TOP = 5


@st.fragment
def draw_guess(checkpoint: str, encoding: Encoding) -> None:
    """Draw the sentence with a word to hide; choosing another one runs only this part.

    Args:
        checkpoint: name of the model.
        encoding: the sentence as the model read it without anything hidden.
    """
    with st.container(key="guess", gap=None), notices():
        chosen = numbers_of(current_settings().hide)
        hidden = tuple(sorted({word for word in chosen if word < len(encoding.spans)}))
        text = encoding.texts[0]
        status = st.container(key="guess-status").empty()
        # Without a choice: the masks that the text has, or else its last word.
        if not hidden and not ask(call(find_masks, checkpoint, text), status).positions:
            hidden = (encoding.last_word(),)
        result = ask(call(fill_mask, checkpoint, text, mask_words=hidden, top=TOP), status)
        count = len(result.masks)
        word_guess(
            _sentence(result),
            [
                _guess(mask, count, number, byte_level=result.byte_level)
                for number, mask in enumerate(result.masks, start=1)
            ],
            key=KEY,
            on_choose=_remember_choice,
        )


def say_no_guess(title: str) -> None:
    """Say why no word can be hidden: the model was trained otherwise."""
    said = _("{model} has no head for masked words, so none can be hidden here.")
    st.caption(said.format(model=title))


def _remember_choice() -> None:
    for message in said(KEY, "word")[-1:]:
        number = read_number(message.get("number"))
        if number is not None:
            choose("hide", write_numbers([number]))


def _sentence(result: FillMaskResult) -> list[Stretch]:
    encoding = result.encoding
    hidden = {mask.word for mask in result.masks}
    text, position, stretches = encoding.texts[0], 0, []
    for number, word in enumerate(encoding.spans):
        if word.start > position:
            stretches.append(Stretch(text[position : word.start]))
        tokens = encoding.tokens_of(number) if number in hidden else ()
        masks = " ".join(encoding.pieces[token] for token in tokens)
        stretches.append(Stretch(text[word.start : word.end], number, masks))
        position = word.end
    return [*stretches, Stretch(text[position:])]


def _guess(mask: MaskedToken, masks: int, number: int, *, byte_level: bool) -> Guess:
    label = _("Mask {number} of {count}").format(number=number, count=masks) if masks > 1 else ""
    return Guess(
        label,
        [
            (readable(piece, byte_level=byte_level), share, percent(share))
            for piece, share in mask.predictions
        ],
    )
