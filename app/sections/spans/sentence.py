"""The text with its blanks: a field, examples, and words to click."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.i18n import _
from app.parts.notices import without_markup
from app.parts.sentence_box import sentence_row
from app.sections.spans.blank_strip import blank_strip, wanted_change
from app.settings import FIELDS, Settings
from app.state import binding, current_settings, forget
from core.tasks.blank_parts import PartKind, TextPart, text_parts, with_blank, without_blank
from core.tasks.fill_spans import MAX_SIZE

STRIP = "blank_strip"
LONGEST_LABEL = 100  # characters of an example that its button shows
MOST_PARTS = 400  # words that can be clicked; a longer text is edited in its field
TAKEN = "words that stood where blanks are"
EXAMPLES = (
    Settings.blanks,
    "He took off his ___ and bowed to the lady.",
    "The ___ sat on the ___ and looked at the ___ for ___ hours.",
    "She opened the door and ___8___.",
    "She opened the door and ___*___, and the ___ looked at ___*___.",
    "He was born in ___ and died in ___2___ at the age of ___.",
    "Thank you ___2___ me to your party ___ week .",
    "The man went to the ___ to buy a ___ of milk.",
    "One evening the old captain told us this: ___64___.",
)


def draw_sentence_row() -> tuple[str, DeltaGenerator, DeltaGenerator]:
    """Draw the field, its examples and the strip below.

    Returns:
        The text with blanks, and two places to its right: for facts about the result, and for
        words about a wait.
    """
    with sentence_row():
        text = st.text_input(
            _("Text with blanks"),
            value=Settings.blanks,
            key="blanks",
            bind=binding("blanks"),
            label_visibility="collapsed",
            placeholder=_(
                "Type a text with blanks: ___ for a word, ___8___ for eight, ___*___ for as many"
                " as the model wants"
            ),
            on_change=forget,
            args=("sample",),
            max_chars=FIELDS["blanks"].metadata["most"],
            width="stretch",
        )
        _draw_examples()
        facts = st.container(key="facts", width="content").empty()
        facts.html("<span></span>", width="content")  # keeps its room
        status = st.container(key="sentence-status").empty()
    text = text or ""
    with st.container(key="spans-strip"):
        parts = text_parts(text)
        if len(parts) <= MOST_PARTS:
            blank_strip(text, parts, most=MAX_SIZE, key=STRIP, on_change=_change)
    return text, facts, status


def _draw_examples() -> None:
    # The sentence of the other pages comes last: its words can become blanks.
    lines = dict.fromkeys((*EXAMPLES, current_settings().text))
    with st.popover(_("Examples"), width="content"), st.container(gap=None):
        for number, example in enumerate(lines):
            label = without_markup(example[:LONGEST_LABEL])
            st.button(
                label, key=f"example-{number}", type="tertiary", on_click=_take, args=(example,)
            )


def _take(text: str) -> None:
    st.session_state["blanks"] = text
    forget("sample")


def _change() -> None:
    """Make a word a blank, or a blank another one or the word that stood there."""
    wanted = wanted_change(STRIP)
    text = current_settings().blanks
    parts = text_parts(text)
    if wanted.text != text or not 0 <= wanted.part < len(parts):
        return  # the text is another one by now
    part = parts[wanted.part]
    number = sum(one.kind is PartKind.BLANK for one in parts[: wanted.part])
    words = _words_of_blanks(text, parts)
    if wanted.words != 0:
        size = None if wanted.words is None else min(wanted.words, MAX_SIZE)
        text = with_blank(text, part, size)
        if part.kind is PartKind.WORD:
            words.insert(number, part.text)
    elif part.kind is PartKind.BLANK:
        text = without_blank(text, part, words.pop(number))
    if len(text) > FIELDS["blanks"].metadata["most"]:
        return
    st.session_state[TAKEN] = (text, words)
    _take(text)


def _words_of_blanks(text: str, parts: tuple[TextPart, ...]) -> list[str]:
    """For every blank the word that it was made of; none where it was typed."""
    known, words = st.session_state.get(TAKEN, ("", []))
    blanks = sum(one.kind is PartKind.BLANK for one in parts)
    return list(words) if known == text and len(words) == blanks else [""] * blanks
