"""The translation itself, step by step."""

from __future__ import annotations

from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.i18n import _, ngettext
from app.parts.model_picker import ChosenModel
from app.parts.notices import notices
from app.parts.said import choose_said
from app.parts.sentence_box import draw_facts
from app.sections.scenes import picture_of_scene
from app.sections.translate.model_words import is_ours
from app.sections.translate.translation_view import translation_view
from app.state import current_settings
from app.theme import milliseconds
from core.engine import Call
from core.tasks.watch_translation import WatchedTranslation

KEY = "translation_view"


def draw_translation(question: Call[WatchedTranslation], status: DeltaGenerator) -> None:
    """Draw the picture; another translation of the same search runs only this part.

    Args:
        question: what is watched, whichever of the translations found that is.
        status: where a wait is spoken of.
    """
    with st.container(key="translate-picture"):
        _draw_picture(question, status)


@st.fragment
def _draw_picture(question: Call[WatchedTranslation], status: DeltaGenerator) -> None:
    # A fragment may write to a place outside itself only if it did so in the run of the whole page.
    status.empty()
    scene = picture_of_scene()
    with notices():
        translation_view(ask(followed(question), status), scene, key=KEY, on_follow=_follow)


def followed(question: Call[WatchedTranslation]) -> Call[WatchedTranslation]:
    """The same of the translation that the reader has chosen among those found."""
    return question.changed(followed=current_settings().followed)


def _follow() -> None:
    choose_said("followed", KEY, "follow")


def facts_of(found: WatchedTranslation, model: ChosenModel) -> list[str]:
    """Which model ran and how large it is, what it read, and how long the search took. HTML."""
    patterns = {one.name: one.patterns.shape[:2] for one in found.attention.maps}
    if "encoder" in patterns:
        (encoder, heads), (decoder, _heads) = patterns["encoder"], patterns["decoder"]
        size = _("{encoder} + {decoder} layers × {heads} heads").format(
            encoder=encoder, decoder=decoder, heads=heads
        )
    else:
        size = _("recurrent")
    tokens = len(found.source) - found.padding
    read = ngettext("{count} token read", "{count} tokens read", tokens).format(count=tokens)
    wrote = ngettext("{count} piece written", "{count} pieces written", len(found.steps)).format(
        count=len(found.steps)
    )
    speed = _("{time} on {device}").format(
        time=milliseconds(found.seconds), device=found.attention.device.partition(":")[0].upper()
    )
    said = [size, read, wrote, speed]
    if is_ours(model):
        said.append(_("small: sentences of about 6 words"))
    return [f"<b>{escape(model.title)}</b>", *map(escape, said)]


def draw_translation_facts(
    place: DeltaGenerator, found: WatchedTranslation, model: ChosenModel
) -> None:
    """Draw the facts in their line."""
    draw_facts(place, facts_of(found, model), found.encoding)
