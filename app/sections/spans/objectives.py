"""The finished text under the unsupervised objectives of the paper."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.ask import ask
from app.i18n import N_, _, ngettext
from app.parts.card_heading import card_heading
from app.parts.notices import notices
from app.settings import FIELDS
from app.state import choose, current_settings
from core.engine import call
from core.objectives.denoising import Denoising
from core.tasks.denoise_text import Denoised, DenoisedText, Origin, Piece, denoise_text

# The names of table 3, and what each does.
NAMES = {
    Denoising.PREFIX: (N_("Prefix LM"), N_("the beginning; go on with it")),
    Denoising.BERT_STYLE: (
        N_("BERT-style"),
        N_("15 % hidden, a tenth of that as random pieces; write the whole text"),
    ),
    Denoising.DESHUFFLING: (N_("Deshuffling"), N_("everything in random order; write the text")),
    Denoising.MASK_TOKENS: (
        N_("Mask tokens (MASS-style)"),
        N_("15 % hidden by one mask each; write the whole text"),
    ),
    Denoising.REPLACE_SPANS: (
        N_("Replace spans"),
        N_("each run of hidden pieces by a sentinel; write only what is hidden"),
    ),
    Denoising.DROP_TOKENS: (N_("Drop tokens"), N_("hidden pieces are gone; write them")),
    Denoising.RANDOM_SPANS: (
        N_("Random spans"),
        N_("as above, but spans of 3 pieces in the mean are drawn: what T5 is trained with"),
    ),
}


@st.fragment
def draw_objectives(model: str, text: str) -> None:
    """Draw the table; another draw runs only this part.

    Args:
        model: name of the model whose pieces are shown.
        text: without blanks.
    """
    with st.container(key="spans-objectives", border=True, gap="xsmall"), notices():
        title, hint = (
            _("What T5’s paper trains on"),
            _("the finished text in its pieces, under seven objectives"),
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            card_heading(title, hint)
            st.button(_("Draw again"), key="objectives-again", on_click=_draw_again)
        status = st.container(key="objectives-status").empty()
        question = call(denoise_text, model, text, seed=current_settings().draw)
        st.html(objectives_table(ask(question, status)))


def _draw_again() -> None:
    most: int = FIELDS["draw"].metadata["most"]
    choose("draw", (current_settings().draw + 1) % (most + 1))


def objectives_table(found: DenoisedText) -> str:
    """The table, as HTML."""
    heads = (_("Objective"), _("Inputs"), _("Targets"))
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    rows = "".join(map(_row, found.rows))
    notes = [
        _(
            "Raffel et al. 2020, section 3.3, table 3, with the pieces of this vocabulary. One draw"
            " for all: rows that hide single pieces hide the same."
        )
    ]
    if found.cut:
        cut = ngettext(
            "{count} piece at the end is left out.",
            "{count} pieces at the end are left out.",
            found.cut,
        )
        notes.append(cut.format(count=found.cut))
    return (
        f'<div class="objectives" tabindex="0" role="region" aria-label="{escape(heads[0])}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        f'<p class="spans-note">{escape(" ".join(notes))}</p>'
    )


def _row(row: Denoised) -> str:
    name, about = NAMES[row.kind]
    return (
        f'<tr data-kind="{row.kind.value}"><th scope="row">{escape(_(name))}'
        f"<span>{escape(_(about))}</span></th>"
        f"<td>{_pieces(row, row.inputs)}</td><td>{_pieces(row, row.targets)}</td></tr>"
    )


def _pieces(row: Denoised, pieces: tuple[Piece, ...]) -> str:
    chips = "".join(_chip(row, one) for one in pieces)
    count = ngettext("{count} piece", "{count} pieces", len(pieces)).format(count=len(pieces))
    return f'{chips}<i class="count">{escape(count)}</i>'


def _chip(row: Denoised, one: Piece) -> str:
    hidden = one.origin is Origin.TEXT and one.number in row.hidden
    kind = "hidden" if hidden else one.origin.value
    return f'<bdi class="{kind}">{escape(one.text)}</bdi>'
