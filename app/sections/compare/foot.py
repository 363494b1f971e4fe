"""Below everything: a link, both sides with all their heads, and how to read the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

import streamlit as st

from app.i18n import N_, _
from app.models import entry_of
from app.navigation import PAGES
from app.parts.foot import foot
from app.parts.model_picker import WITH_HEADS
from app.parts.sentence_box import OF_ONE_TEXT, READ_ALONE, offer_default_model
from app.sections.compare.reading import ComparedReadings, shown_heads
from app.sections.compare.sides import Sides, take_texts
from app.settings import Value
from app.state import open_page
from app.theme import primary
from core.engine import Call
from core.errors import HeadlightError
from core.tasks.attend import AttendResult, AttentionMap
from core.tasks.compare_attention import kinds_of
from core.tasks.errors import WordsDifferError
from core.tasks.fill_mask import texts_with_masks
from core.tasks.read_side import SideReading

ALL_VIEWS = {"left": N_("Left in all views"), "right": N_("Right in all views")}
STEP_BY_STEP = {"left": N_("Left, step by step"), "right": N_("Right, step by step")}


def draw_foot(readings: ComparedReadings) -> None:
    """Draw the line at the bottom of the page."""
    left, right = (_shown(readings, one.attention) for one in (readings.first, readings.second))
    heads = shown_heads(left.patterns.shape, right.patterns.shape)

    def draw_sides() -> None:
        _draw_side("left", readings.left, readings.first, left, heads[0])
        if readings.left != readings.right and not readings.sides.without_heads:
            _draw_side("right", readings.right, readings.second, right, heads[1])

    foot(_how_to_read(), before=draw_sides, canvas={"token": -1})


def _shown(readings: ComparedReadings, attention: AttendResult) -> AttentionMap:
    """The kind of one side that is compared; the first one where there is nothing to compare."""
    return kinds_of(attention)[readings.kind] if readings.kind else attention.maps[0]


def offer_way_out(error: HeadlightError, sides: Sides) -> None:
    """Below what is wrong: each side alone, or the model that is always there."""
    if not isinstance(error, WordsDifferError):
        offer_default_model(error)
        return
    text = sides.left["text"]
    with st.container(horizontal=True, vertical_alignment="center"):
        if sides.contrast == "texts":
            told, texts = _("Start from the first text"), (text, text)
            st.button(told, key="same-text", on_click=take_texts, args=texts)
        for side, question in (("left", sides.left), ("right", sides.right)):
            if _asked_for(side, question):
                _open(question, question["text"], {})


def _draw_side(
    side: str,
    question: Call[SideReading],
    reading: SideReading,
    shown: AttentionMap,
    head: tuple[int, int],
) -> None:
    """A button to the page that shows all of one side's run."""
    if not _asked_for(side, question):
        return
    text = question["text"]
    if question["mask_words"]:
        encoding = reading.attention.encoding
        mask = encoding.tokens[reading.guesses[0].position]
        text = texts_with_masks(encoding, question["mask_words"], mask)[0]
    places = {"set": shown.name, "layer": str(head[0]), "head": str(head[1]), "token": "-1"}
    _open(question, text, places)


def _asked_for(side: str, question: Call[SideReading]) -> bool:
    label = _((ALL_VIEWS if _has_heads(question) else STEP_BY_STEP)[side])
    return st.button(primary(label), type="tertiary", key=f"open-{side}")


def _has_heads(question: Call[SideReading]) -> bool:
    entry = entry_of(question.checkpoint)
    return entry is None or WITH_HEADS.fits(entry)


def _open(question: Call[SideReading], text: str, places: Mapping[str, str]) -> NoReturn:
    settings: dict[str, Value] = {"text": text, "model": question.checkpoint}
    if question["language"] is not None:
        settings["to"] = question["language"]
    if _has_heads(question):
        open_page(PAGES / "attention.py", settings, places=places, forgotten=READ_ALONE)
    # It was always the likeliest piece.
    open_page(PAGES / "alignment.py", {**settings, "beams": 1}, forgotten=OF_ONE_TEXT)


def _how_to_read() -> str:
    return _(
        "- **Left and right share rows, columns and colours.** A colour means the same"
        " weight in both; the number at the end of the scale says which.\n"
        "- **The difference is right minus left.** Blue: the right side looks there more;"
        " orange: the left one. Its scale is its own: full colour is the largest difference, on"
        " either side of 0; without “own scale” it is that of the maps.\n"
        "- **The same pieces are compared cell by cell.** Where the vocabularies cut a"
        " text differently, words are: the weights of a word’s pieces are summed as columns"
        " and averaged as rows, and special tokens are left out, so rows may add up to"
        " less than 1.\n"
        "- **A replaced word keeps its place** and is called by both names. Texts with"
        " another number of words, or of which more than half are others, have no cells"
        " in common and are refused.\n"
        "- **How far apart two heads are:** half the sum of a row’s differences, in the"
        " mean over the rows. 0 is the same map; 1 is no weight in common.\n"
        "- **The same number is not the same head.** Heads of two models that were trained"
        " apart have nothing to do with each other; untick “same head” and look for the one"
        " that fits: the lightest square is the nearest.\n"
        "- **A head that is off** adds nothing; its own map stays as it was, and only those"
        " of later layers change."
    )
