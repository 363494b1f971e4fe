"""The text with its blanks: a field, examples, and words to click."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.i18n import _
from app.parts.notices import without_markup
from app.parts.sentence_box import sentence_row
from app.sections.spans.blank_strip import Change, blank_strip, wanted_changes
from app.settings import FIELDS, Settings
from app.state import binding, current_settings, forget
from core.tasks.blank_parts import PartKind, TextPart, text_parts, with_blank, without_blank
from core.tasks.fill_spans import MAX_SIZE

STRIP = "blank_strip"
LONGEST_LABEL = 100  # characters of an example that its button shows
MOST_PARTS = 400  # words that can be clicked; a longer text is edited in its field
TAKEN = "words that stood where blanks are"
SEEN = "text with blanks before the last changes"
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


@dataclass(frozen=True)
class _Seen:
    """A text as it was seen, what has been wanted of it, and what it became.

    Who presses again before the answer has come still means the parts of that text.

    Attributes:
        text: with blanks.
        words: that stood where its blanks are.
        wanted: of its parts, by their numbers.
        made: the text after that.
    """

    text: str
    words: list[str]
    wanted: dict[int, Change]
    made: str


def _change() -> None:
    """Make words blanks, and blanks other ones or the words that stood there."""
    for change in wanted_changes(STRIP):
        text = current_settings().blanks
        seen: _Seen | None = st.session_state.get(SEEN)
        if change.text == text:
            seen = _Seen(text, _words_of_blanks(text, text_parts(text)), {}, text)
        elif seen is None or seen.text != change.text or seen.made != text:
            continue  # the text is another one by now
        wanted = {**seen.wanted, change.part: change}
        made, words = _changed(seen.text, seen.words, wanted)
        if len(made) > FIELDS["blanks"].metadata["most"]:
            continue
        st.session_state[SEEN] = replace(seen, wanted=wanted, made=made)
        st.session_state[TAKEN] = (made, words)
        _take(made)


def _changed(text: str, words: list[str], wanted: Mapping[int, Change]) -> tuple[str, list[str]]:
    """The text with all that is wanted of its parts, and the words where its blanks are then."""
    parts, words = text_parts(text), list(words)
    for number in sorted(wanted, reverse=True):  # the parts before it stay where they are
        if number >= len(parts):
            continue
        part, size = parts[number], wanted[number].words
        blank = sum(one.kind is PartKind.BLANK for one in parts[:number])
        if size != 0:
            text = with_blank(text, part, None if size is None else min(size, MAX_SIZE))
            if part.kind is PartKind.WORD:
                words.insert(blank, part.text)
        elif part.kind is PartKind.BLANK:
            text = without_blank(text, part, words.pop(blank))
    return text, words


def _words_of_blanks(text: str, parts: tuple[TextPart, ...]) -> list[str]:
    """For every blank the word that it was made of; none where it was typed."""
    known, words = st.session_state.get(TAKEN, ("", []))
    blanks = sum(one.kind is PartKind.BLANK for one in parts)
    return list(words) if known == text and len(words) == blanks else [""] * blanks
