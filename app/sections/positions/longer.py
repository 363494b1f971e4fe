"""What each code has for a position that no training has seen."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.i18n import _
from app.parts.model_picker import ChosenModel
from app.parts.notices import notices
from app.parts.table_card import Cell, table_card
from app.state import current_settings
from app.theme import difference
from core.analysis.positions import products, sinusoids
from core.engine import call
from core.errors import SequenceTooLongError
from core.tasks.position_codes import position_table

MOST_COMPARED = 64


def draw_longer(model: ChosenModel, status: DeltaGenerator) -> None:
    """Draw the table for the positions that are chosen above it.

    Args:
        model: of which the learned table is.
        status: where a wait is spoken of.
    """
    with st.container(key="card-longer", border=True), notices():
        _draw_table(model, status)


def _draw_table(model: ChosenModel, status: DeltaGenerator) -> None:
    settings = current_settings()
    last = settings.start + settings.positions - 1
    rows = [
        (_("Sinusoidal, rotary"), _("a formula"), _waves_there(settings.start, settings.positions)),
        (
            _("Learned, {model}").format(model=model.title),
            _("a row for each position"),
            _learned_there(model, last, status),
        ),
        (
            _("T5’s bias"),
            _("a number for each class of distances"),
            _("It never sees a position. Distances beyond its largest share one number."),
        ),
        (
            _("Transformer-XL"),
            _("waves of distances, and learned weights"),
            _("It never sees a position; longer distances have waves that training has not seen."),
        ),
    ]
    table_card(
        _("Longer inputs than seen"),
        _("a text that ends at position {last}, as chosen above").format(last=last),
        [Cell(_("code")), Cell(_("made of")), Cell(_("at that position"))],
        [[Cell(name), Cell(made), Cell(there)] for name, made, there in rows],
        note=_(
            "That there is a number does not mean that a model can use it: what it was never"
            " trained on, it may read wrongly all the same."
        ),
    )


def _waves_there(start: int, positions: int) -> str:
    count = min(positions, MOST_COMPARED)
    here, there = (
        products(sinusoids(count, current_settings().dimensions, start=first))
        for first in (0, start)
    )
    return _(
        "As good as any other: dot products from there differ from those at 0 by {size} at most."
    ).format(size=difference(abs(here - there).max()) if start else "0")


def _learned_there(model: ChosenModel, last: int, status: DeltaGenerator) -> str:
    try:
        found = ask(call(position_table, model.name, 1, start=last), status)
    except SequenceTooLongError as error:
        return _("Refused: the last of its {limit} rows is that of position {last}.").format(
            limit=error.limit, last=error.limit - 1
        )
    return _("One of its {limit} rows.").format(limit=found.limit)
