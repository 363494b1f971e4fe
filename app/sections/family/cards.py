"""All models on one sentence, side by side: they are asked one after the other."""

from __future__ import annotations

from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask, remembered
from app.i18n import _, ngettext
from app.navigation import PAGES
from app.parts.notices import notices
from app.sections.family.family_card import (
    GuessedPiece,
    HiddenPiece,
    Token,
    family_card,
    small_map,
)
from app.sections.family.members import MEMBERS, models_of_members
from app.sections.family.sentence import Sentence
from app.settings import Value
from app.state import open_page
from app.theme import percent, primary
from core.checkpoints import BundledCheckpoint
from core.engine import call
from core.models.permutation import QUERY
from core.models.registry import SYSTEMS
from core.tasks import FillMaskResult, MaskedToken, fill_mask
from core.tokenisation import readable

COLUMNS = 4
TOP = 5


def draw_cards(sentence: Sentence, status: DeltaGenerator) -> None:
    """Draw a card for every member; their frames stand before the first model answers."""
    there = models_of_members()
    places: dict[str, DeltaGenerator] = {}
    names = [one.system for one in MEMBERS]
    for start in range(0, len(names), COLUMNS):
        columns = st.columns(COLUMNS, gap="small")
        for column, system in zip(columns, names[start : start + COLUMNS], strict=False):
            places[system] = column.container(key=f"card-family-{system}", border=True)
            _draw_title(places[system], system, there[system])
    for system, entry in there.items():
        with places[system]:
            if entry is None:
                said = _("None came with Headlight, and none of yours is of this kind.")
                st.html(f'<p class="family-none">{escape(said)}</p>')
            else:
                with notices():
                    _draw_card(sentence, system, entry, status)
    with st.container(horizontal=True, vertical_alignment="center", key="family-weak"):
        st.caption(
            _(
                "Small models of ours: a better guess says little about an"
                " objective. What each is weak at stands on its card."
            ),
            width="content",
        )
        st.page_link(PAGES / "model.py", label=primary(_("Their cards")), width="content")


def _draw_title(place: DeltaGenerator, system: str, entry: BundledCheckpoint | None) -> None:
    title = SYSTEMS[system].title
    own = entry is not None and entry.name != system
    hint = ""
    if entry is not None:
        hint = _("{count} MB").format(count=max(1, round(entry.size_bytes / 1e6)))
        hint = f"{entry.title} · {hint}" if own else hint
    place.html(f'<h2 class="family-title">{escape(title)}<span> {escape(hint)}</span></h2>')


def _draw_card(
    sentence: Sentence, system: str, entry: BundledCheckpoint, status: DeltaGenerator
) -> None:
    question = call(
        fill_mask, entry.name, sentence.text, mask_words=sentence.words, top=TOP, patterns=True
    )
    reading = ask(question, status)
    patterns = reading.patterns
    assert patterns is not None  # asked for
    places = [one.position for one in reading.masks]
    attention = remembered(
        (question,),
        ("small map",),
        lambda: small_map(patterns, reading.encoding.pieces, places, reading.masked),
    )
    layer = family_card(
        SYSTEMS[system].title,
        _tokens(reading),
        [_hidden_piece(one, reading) for one in reading.masks],
        attention,
        facts=_facts(reading),
        key=f"family-{system}",
        streams=reading.streams,
    )
    if layer is not None:
        _open_canvas(entry.name, reading, layer)


def _tokens(reading: FillMaskResult) -> list[Token]:
    hidden = {one.position for one in reading.masks}
    shown = reading.encoding
    return [
        Token(piece, special, at in hidden)
        for at, (piece, special) in enumerate(zip(shown.pieces, shown.special, strict=True))
    ]


def _hidden_piece(one: MaskedToken, reading: FillMaskResult) -> HiddenPiece:
    def read(token: str) -> str:
        return readable(token, byte_level=reading.byte_level)

    guesses = [
        GuessedPiece(read(token), share, percent(share), token == one.piece)
        for token, share in one.predictions
    ]
    if one.piece is None or one.probability is None or one.rank is None:
        return HiddenPiece("?", guesses, "")
    truth = _("“{piece}” {share}, rank {rank}").format(
        piece=read(one.piece), share=percent(one.probability), rank=f"{one.rank:,}"
    )
    return HiddenPiece(read(one.piece), guesses, truth)


def _facts(reading: FillMaskResult) -> str:
    tokens = len(reading.encoding)
    return ngettext("{count} token", "{count} tokens", tokens).format(count=tokens)


def _open_canvas(name: str, reading: FillMaskResult, layer: int) -> None:
    """Go to all heads of this model on this sentence, at the layer that was clicked."""
    settings: dict[str, Value] = {"text": reading.texts[0], "pair": "", "model": name}
    places = {"layer": str(layer), "head": "0", "token": str(reading.masks[0].position)}
    if reading.streams:  # they part where there is an order of reading
        settings["permuted"] = True
        places["set"] = QUERY
    open_page(PAGES / "attention.py", settings, places=places)
