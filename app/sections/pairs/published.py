"""Figures of the papers, apart from ours and with their sources."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.i18n import _
from app.parts.card_heading import heading_html

# Lan et al. 2020, table 5: accuracy on held-out pairs of one and the same ALBERT-base.
TRAINED = ((52.4, 53.3), (90.5, 52.0), (78.9, 86.5))


def draw_published() -> None:
    """Draw the table of ALBERT's paper."""
    names = (_("neither"), _("next sentence"), _("sentence order"))
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(f'<td class="number">{value:.1f}</td>' for value in values)
        + "</tr>"
        for name, values in zip(names, TRAINED, strict=True)
    )
    columns = "".join(
        f'<th scope="col" class="number">{escape(name)}</th>'
        for name in (_("tells next"), _("tells order"))
    )
    title = _("What papers report")
    hint = _("not our models: ALBERT-base trained three ways, % right")
    note = _(
        "Lan et al. 2020, “ALBERT”, table 5. Trained on next sentences it tells the order no better"
        " than a coin (52.0); trained on the order it still tells which sentence is next (78.9)."
        " Devlin et al. 2019, section 3.1, give 97 to 98 % for BERT’s next sentence."
    )
    trained = _("trained on")
    with st.container(key="card-pair-published", border=True):
        st.html(
            f'<section class="mask-card published">{heading_html(title, hint)}'
            f'<table><thead><tr><th scope="col">{escape(trained)}</th>{columns}</tr>'
            f"</thead><tbody>{rows}</tbody></table>"
            f'<p class="mask-note">{escape(note)}</p></section>'
        )
