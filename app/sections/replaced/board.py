"""The sentence with its light, and what is known of both networks."""

from __future__ import annotations

from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.i18n import _, ngettext
from app.models import title_of
from app.parts.model_picker import ChosenModel
from app.parts.sentence_box import draw_facts
from app.sections.replaced.edits import read_edits, write_edits
from app.sections.replaced.reading import (
    READER,
    ReplacedReading,
    read_typed,
    reading_of_edits,
    reading_of_samples,
)
from app.sections.replaced.replaced_view import edited_words, replaced_view
from app.sections.scenes import picture_of_scene
from app.state import choose, current_settings, is_allowed
from core.engine import call
from core.tasks.describe import describe

VIEW = "replaced_view"
TOO_MANY = "edits without room"


def draw_board(
    model: ChosenModel, generator: str | None, text: str, who: str, status: DeltaGenerator
) -> ReplacedReading:
    """Draw the picture; return what was drawn.

    Args:
        model: a discriminator.
        generator: name of the one that replaces words; None without one.
        text: the sentence.
        who: replaces words.
        status: where a wait is spoken of.

    Raises:
        HeadlightError: whatever is wrong with the text or the models.
    """
    settings = current_settings()
    if who == READER or generator is None:
        reading = reading_of_edits(model.name, read_typed(model.name, text, status), status)
    else:
        reading = reading_of_samples(model.name, generator, text, status)
    if st.session_state.pop(TOO_MANY, False):
        st.warning(_("So many changes do not fit into a link, so the last one was not made."))
    with st.container(key="replaced-picture"):
        replaced_view(
            reading.picture,
            picture_of_scene(),
            mark_first=settings.mark_first,
            key=VIEW,
            on_edit=_remember_edit,
        )
    return reading


def draw_model_facts(
    place: DeltaGenerator, model: ChosenModel, reading: ReplacedReading, status: DeltaGenerator
) -> None:
    """Say which model judged, how large it is, how it cuts texts, and how much it read."""
    told = ask(call(describe, model.name), status)
    (side, *_others) = told.sides
    size = _("{layers} layers × {heads} heads").format(layers=side.layers, heads=side.heads)
    pieces = _("{method}, {count} pieces").format(method=told.method, count=f"{told.pieces:,}")
    tokens = ngettext("{count} token", "{count} tokens", reading.tokens).format(
        count=reading.tokens
    )
    facts = [
        f"<b>{escape(model.title)}</b> · {escape(size)}",
        f"{escape(pieces)} · {escape(tokens)}",
    ]
    draw_facts(place, facts)


def say_no_generator(model: ChosenModel) -> None:
    """Say why words can be replaced by the reader only."""
    said = _("No generator has come along with {model}, so you replace the words yourself.")
    st.caption(said.format(model=title_of(model.name)))


def _remember_edit() -> None:
    for number, text in edited_words(VIEW):
        written = write_edits({**read_edits(current_settings().changed), number: text})
        if is_allowed("changed", written):
            choose("changed", written)
        else:
            st.session_state[TOO_MANY] = True
