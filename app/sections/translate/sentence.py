"""The sentence, the language it is translated into, how the search goes, and the padding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.i18n import N_, _
from app.models import models
from app.navigation import PAGES
from app.parts.frame import pixels
from app.parts.model_picker import ChosenModel, ModelFilter
from app.parts.sentence_box import Example, examples, offer_default_model, sentence_field
from app.settings import Settings
from app.state import choose, current_settings, forget
from core.engine import call
from core.errors import HeadlightError
from core.tasks.watch_translation import languages

LANGUAGES: Final = {"de": N_("German"), "fr": N_("French"), "ko": N_("Korean")}
WIDTHS: Final = (1, 2, 4, 8)
PADDING: Final = (0, 1, 2, 4, 8)
LANGUAGE_KEY, SEARCH_KEY, PADDING_KEY = "language-choice", "search-choice", "padding-choice"
EXAMPLES: Final = (
    Example(Settings.text),
    Example("The old man is reading a book."),
    Example("I am a boy"),
    Example("She is eating a green apple."),
    Example("my dog is cute"),
    Example("I don't know where she lives."),
    Example("The cat sleeps because it is tired."),
)


def draw_sentence() -> str:
    """Draw the field with its examples; return the text."""
    text = sentence_field()
    examples(EXAMPLES)
    return text


def draw_language(model: ChosenModel, status: DeltaGenerator) -> str | None:
    """Draw the languages that a model has a token for; return the one that is chosen.

    Raises:
        HeadlightError: the model cannot be opened.
    """
    there = ask(call(languages, model.name), status)
    return language_choice(there) if there else None


def language_choice(there: Sequence[str]) -> str:
    """Draw a choice of languages, at least one; return the one that is chosen."""
    wanted = current_settings().to
    # The address decides, also after a step back and in a scene.
    st.session_state[LANGUAGE_KEY] = chosen = wanted if wanted in there else there[0]
    st.segmented_control(
        _("Into"),
        there,
        format_func=lambda name: _(LANGUAGES[name]) if name in LANGUAGES else name,
        key=LANGUAGE_KEY,
        required=True,
        label_visibility="collapsed",
        on_change=lambda: _take("to", LANGUAGE_KEY),
    )
    return chosen


def draw_search() -> int:
    """Draw the choice between always the likeliest piece and beams; return how many of these."""
    return _number(_("Search"), "beams", WIDTHS, SEARCH_KEY, _search_name)


def draw_padding() -> int:
    """Draw how much padding stands behind the source; return it."""
    return _number(_("Padding"), "padded", PADDING, PADDING_KEY, _padding_name)


def way_out(allowed: ModelFilter) -> Callable[[HeadlightError], None]:
    """What is offered below an error: the page's own model, or a place for the reader's own."""

    def offer(error: HeadlightError) -> None:
        if any(map(allowed.fits, models())):
            offer_default_model(error, allowed.default)
        else:
            st.page_link(PAGES / "model.py", label=_("No model here fits this page. Open your own"))

    return offer


def _search_name(beams: int) -> str:
    return _("argmax") if beams == 1 else _("{count} beams").format(count=beams)


def _padding_name(count: int) -> str:
    if count == 0:
        return _("no padding")
    return _("padding: {count}").format(count=count)


def _number(
    label: str, name: str, offered: tuple[int, ...], key: str, said: Callable[[int], str]
) -> int:
    chosen: int = getattr(current_settings(), name)
    st.session_state[key] = chosen
    st.selectbox(
        label,
        sorted({*offered, chosen}),
        format_func=said,
        key=key,
        label_visibility="collapsed",
        on_change=lambda: _take(name, key),
        width=pixels(136),
    )
    return chosen


def _take(name: str, key: str) -> None:
    choose(name, st.session_state[key])
    forget("followed")  # it is a number among other translations now
