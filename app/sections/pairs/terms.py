"""What the model reads before its first layer: three vectors for each token, and their sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.figures.theme import FigureTheme
from app.i18n import _, ngettext
from app.parts.card_heading import card_heading
from app.parts.figure import Cell, Figure, draw_figure, remembered_figure
from app.parts.model_picker import ChosenModel
from app.parts.notices import notices
from core.engine import call
from core.tasks import InputTerms, input_terms

MOST_DRAWN = 64  # tokens


@dataclass(frozen=True)
class _Term:
    name: str
    attribute: str
    sign: str


def draw_terms(model: ChosenModel, text: str, pair: str | None, status: DeltaGenerator) -> None:
    """Draw the terms of every token of the pair.

    Args:
        model: whose tables are read.
        text, pair: the sentences.
        status: where a wait is spoken of.
    """
    with st.container(key="card-pair-terms", border=True, gap=None), notices():
        question = call(input_terms, model.name, text, pair)
        found = ask(question, status)
        card_heading(_("The input, term by term"), _hint(model, found))
        figure = remembered_figure(
            lambda theme: _maps(model, found, theme), "input-terms", questions=[question]
        )
        draw_figure(figure, key="input-terms")


def _maps(model: ChosenModel, found: InputTerms, theme: FigureTheme) -> Figure:
    from app.figures.input_terms import Term, TermWords
    from app.figures.input_terms import input_terms as maps_of_terms

    lengths = found.lengths()
    terms = [
        Term(
            kind.name,
            kind.sign,
            getattr(found, kind.attribute)[:MOST_DRAWN],
            lengths[kind.attribute][:MOST_DRAWN],
            own_scale=kind.attribute == "output",
        )
        for kind in _kinds()
        if kind.attribute in lengths
    ]
    tokens = found.encoding.pieces[:MOST_DRAWN]
    segments = ["AB"[segment] for segment in found.encoding.segments[:MOST_DRAWN]]
    words = TermWords(
        token=_("token"),
        feature=_("feature"),
        length=_("length"),
        value=_("value: terms and sum share one scale, 1 % of them lie beyond"),
        own_value=_("value"),
        row=_("“{token}”, position {position}, sentence {segment}"),
    )
    length = _("length of {term}")
    table: dict[str, Sequence[Cell]] = {
        _("position"): list(range(len(tokens))),
        words.token: list(tokens),
        _("sentence"): segments,
        **{length.format(term=one.name): one.lengths.tolist() for one in terms},
    }
    alt = _("Heat maps of {model}'s input: for every token {terms}").format(
        model=model.title, terms=", ".join(one.name for one in terms)
    )
    return Figure(maps_of_terms(terms, tokens, segments, words, theme), table, alt)


def _kinds() -> tuple[_Term, ...]:
    return (
        _Term(_("token"), "tokens", ""),
        _Term(_("segment"), "segments", "+"),
        _Term(_("position"), "positions", "+"),
        _Term(_("sum"), "total", "="),
        _Term(_("after the norm"), "output", "→"),
    )


def _hint(model: ChosenModel, found: InputTerms) -> str:
    tokens, width = found.tokens.shape
    said = _("{model}: {tokens} tokens down, {width} features across").format(
        model=model.title, tokens=min(tokens, MOST_DRAWN), width=width
    )
    if tokens > MOST_DRAWN:
        left = ngettext(
            "{count} more is not drawn", "{count} more are not drawn", tokens - MOST_DRAWN
        )
        said += ", " + left.format(count=tokens - MOST_DRAWN)
    return "; ".join([said, _("drag: zoom, double click: all")])
