"""SpanBERT's two losses for one word of a hidden span, worked out."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.ask import ask
from app.i18n import _
from app.parts.card_heading import card_heading
from app.parts.fields import number_field
from app.parts.notices import notices
from app.parts.table_card import Cell, table_card
from app.sections.family.members import models_of_members
from app.sections.family.sentence import Sentence
from app.state import current_settings
from app.theme import probability
from core.checkpoints import BundledCheckpoint
from core.engine import call
from core.tasks.span_terms import LossTerm, SpanTerms, span_terms
from core.tokenisation import readable


@st.fragment
def draw_spans(sentence: Sentence) -> None:
    """Draw the card; another length of the span runs only this part."""
    entry = models_of_members()["spanbert"]
    if entry is None:
        return
    with st.container(key="card-family-spans", border=True):
        _draw_head()
        with notices():
            _draw_terms(sentence, entry)


def _draw_head() -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        title = _("SpanBERT: two losses for one word")
        hint = _("from its own state, and from the span’s two neighbours alone")
        card_heading(title, hint)
        number_field("span", _("Words in the span"))


def _draw_terms(sentence: Sentence, entry: BundledCheckpoint) -> None:
    status = st.container(key="family-spans-status").empty()
    first, last = span_around(sentence.word, current_settings().span, len(sentence.spellings))
    word = sentence.word
    question = call(span_terms, entry.name, sentence.text, first=first, last=last, word=word)
    found = ask(question, status)
    st.html(_line(found))
    left, right = st.columns(2, gap="small")
    pieces = found.encoding.pieces
    with left:
        table_card(
            _("Masked word"),
            _("from the state at its own mask, x{at}").format(at=found.position),
            _columns(),
            _rows(found.masked, found.piece),
            note=_worked(found.masked),
        )
    with right:
        table_card(
            _("Span boundary"),
            _("from “{left}”, “{right}” and place {index} of the span").format(
                left=pieces[found.left], right=pieces[found.right], index=found.index
            ),
            _columns(),
            _rows(found.boundary, found.piece),
            note=_worked(found.boundary),
        )
    st.html(f'<p class="family-sum">{_sum(found)}</p>')


def span_around(word: int, words: int, of: int) -> tuple[int, int]:
    """First and last word of a span of so many words with this one in its middle.

    >>> span_around(6, 4, 13), span_around(0, 3, 5), span_around(1, 9, 3)
    ((4, 7), (0, 2), (0, 2))
    """
    words = min(words, of)
    first = min(max(word - words // 2, 0), of - words)
    return first, first + words - 1


def _line(found: SpanTerms) -> str:
    """The tokens, with the span, its neighbours and the word in it marked."""
    chips = []
    for at, (piece, typed) in enumerate(
        zip(found.shown.pieces, found.encoding.pieces, strict=True)
    ):
        kind, below = "", ""
        if at in (found.left, found.right):
            kind = "edge"
            below = "x<sub>s−1</sub>" if at == found.left else "x<sub>e+1</sub>"
        elif at == found.position:
            kind, below = "word", f"p<sub>{found.index}</sub>"
        elif found.first <= at <= found.last:
            kind = "inside"
        title = f' title="{escape(typed)}"' if kind in ("word", "inside") else ""
        chips.append(
            f'<span class="{kind}"{title}><bdi>{escape(piece)}</bdi><small>{below}</small></span>'
        )
    return f'<div class="family-span">{"".join(chips)}</div>'


def _columns() -> list[Cell]:
    return [Cell(_("piece")), Cell(_("probability"), number=True)]


def _rows(term: LossTerm, piece: str) -> list[list[Cell]]:
    rows = [
        [Cell(name, marked=name == piece), Cell(probability(share), number=True)]
        for name, share in ((readable(token), share) for token, share in term.predictions)
    ]
    if not any(row[0].marked for row in rows):
        rows[-1] = [Cell(piece, marked=True), Cell(_small(term.probability), number=True)]
    return rows


def _small(share: float) -> str:
    return probability(share) if share >= 0.0005 else f"{share:.1e}"


def _worked(term: LossTerm) -> str:
    return _("−ln {share} = {loss}").format(share=_small(term.probability), loss=f"{term.loss:.3f}")


def _sum(found: SpanTerms) -> str:
    said = _("Loss for “{piece}”: {masked} + {boundary} = {loss} nats").format(
        piece=found.piece,
        masked=f"{found.masked.loss:.3f}",
        boundary=f"{found.boundary.loss:.3f}",
        loss=f"{found.loss:.3f}",
    )
    source = _(
        "Joshi et al. 2020, “SpanBERT”, 3.2: L = L_MLM + L_SBO. The place is counted from the"
        " span’s left boundary: football is the third token of “an American football game”, so p₃."
    )
    return f"<b>{escape(said)}</b><span>{escape(source)}</span>"
