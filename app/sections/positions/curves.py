"""Positions as points in space: sinusoids beside the rows that a model has learned."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.figures.components import CurveWords, position_curve
from app.i18n import _
from app.parts.card_heading import card_heading
from app.parts.fields import toggle_field
from app.parts.figure import Figure, draw_figure, figure_theme
from app.parts.model_picker import ChosenModel
from app.parts.notices import notices
from app.state import current_settings
from app.theme import percent
from core.analysis.positions import principal_components, sinusoids
from core.engine import call
from core.errors import SequenceTooLongError
from core.tasks.position_codes import position_table

COMPONENTS = 3


def draw_curves(model: ChosenModel, status: DeltaGenerator) -> None:
    """Draw both for the positions that are chosen above, where the reader asks for them.

    Not before: on a browser that draws in space without a graphics card, and still fetches Plotly's
    4.7 MB, they would keep the picture above waiting.

    Args:
        model: whose learned table is drawn; the sinusoids are as wide.
        status: where a wait is spoken of.
    """
    if not toggle_field("space", _("Positions as curves in space")):
        return
    settings = current_settings()
    made, learned = st.columns(2, gap="small")
    with learned.container(key="card-curve-learned", border=True, gap=None), notices():
        title = _("Learned, {model}").format(model=model.title)
        try:
            question = call(position_table, model.name, settings.positions, start=settings.start)
            rows: NDArray[np.floating] | None = ask(question, status).rows
        except SequenceTooLongError as error:
            rows = None
            card_heading(title)
            said = _("No row for the last of these positions: it has {limit}.")
            st.caption(said.format(limit=error.limit))
        if rows is not None:
            _draw_curve(title, rows, settings.start, "curve-learned")
    with made.container(key="card-curve-made", border=True, gap=None), notices():
        width = settings.dimensions if rows is None else rows.shape[1]
        table = sinusoids(settings.positions, width, start=settings.start)
        _draw_curve(_("Sinusoidal"), table, settings.start, "curve-made")


def _draw_curve(title: str, rows: NDArray[np.floating], first: int, key: str) -> None:
    found = principal_components(rows, COMPONENTS)
    hint = _("three principal components of {width} hold {share} of the variance")
    share = percent(float(found.shares.sum()))
    card_heading(title, hint.format(width=rows.shape[1], share=share))
    words = CurveWords(position=_("position"), component=_("PC{number} ({share})"))
    numbers = range(COMPONENTS)
    table = {words.position: list(range(first, first + len(rows)))} | {
        words.component.format(number=at + 1, share=percent(float(found.shares[at]))): [
            float(one) for one in found.points[:, at]
        ]
        for at in numbers
    }
    said = _("This browser has no WebGL to draw in space with. The values below are the points.")
    st.html(f'<p class="no-space">{escape(said)}</p>')
    alt = _("{code}: positions by their first three principal components").format(code=title)
    chart = position_curve(found.points, found.shares, first, words, figure_theme())
    draw_figure(Figure(chart, table, alt), key=key)
