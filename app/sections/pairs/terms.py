"""What the model reads before its first layer: three vectors for each token, and their sum."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.i18n import _, ngettext
from app.parts.model_picker import ChosenModel
from app.parts.notices import notices
from app.sections.pairs.input_terms_view import Term, TermsPicture, input_terms_view
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
    with st.container(key="card-pair-terms", border=True), notices():
        found = ask(call(input_terms, model.name, text, pair), status)
        encoding = found.encoding
        drawn = min(len(encoding), MOST_DRAWN)
        lengths = found.lengths()
        input_terms_view(
            TermsPicture(
                title=_("The input, term by term"),
                hint=_hint(model, found),
                tokens=encoding.pieces[:drawn],
                segments=["AB"[segment] for segment in encoding.segments[:drawn]],
                terms=[
                    Term(
                        kind.name,
                        kind.sign,
                        getattr(found, kind.attribute)[:drawn],
                        lengths[kind.attribute][:drawn],
                        own_scale=kind.attribute == "output",
                    )
                    for kind in _kinds()
                    if getattr(found, kind.attribute) is not None
                ],
            ),
            key="input_terms",
        )


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
    said = _("{model}: {tokens} tokens down, {width} numbers across each").format(
        model=model.title, tokens=min(tokens, MOST_DRAWN), width=width
    )
    if tokens > MOST_DRAWN:
        left = ngettext(
            "{count} more is not drawn", "{count} more are not drawn", tokens - MOST_DRAWN
        )
        said += ", " + left.format(count=tokens - MOST_DRAWN)
    return said
