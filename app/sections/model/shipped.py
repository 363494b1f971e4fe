"""The models that come with the app, and the card of the one that is chosen."""

from __future__ import annotations

import re
from html import escape

import streamlit as st

from app.card_facts import headline
from app.card_text import card_html
from app.host import load_policy
from app.i18n import _
from app.parts.card_heading import heading_html
from app.parts.model_picker import ChosenModel
from app.sections.model.words import megabytes
from core.checkpoints import BundledCheckpoint, CheckpointError, bundled
from core.checkpoints.figures import read_figures
from core.checkpoints.files import CARD, Folder
from core.checkpoints.source import find_folder
from core.models.registry import SYSTEMS

_LICENCE = re.compile(r"[Tt]hese weights: ([^.;\n]+?(?:\.\d[^.;\n]*)?)[.;\n]")


def draw_shipped(chosen: ChosenModel) -> None:
    """Draw the list of bundled models, with the card of the chosen one beside it."""
    card = _card_of(chosen.name)
    title = _("The models that come with Headlight")
    hint = _("figures of text that they have not seen")
    head = "".join(
        f'<th scope="col">{escape(name)}</th>'
        for name in (_("model"), _("system"), _("size"), _("licence"))
    )
    rows = "".join(_row(one, one.name == chosen.name) for one in bundled())
    listed = (
        f'<section class="model-card model-list">{heading_html(title, hint)}'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></section>"
    )
    missing = _("It came without a card.")
    body = card_html(card) if card else f"<p>{escape(missing)}</p>"
    told = _("Its card")
    beside = (
        f'<section class="model-card model-text">{heading_html(told, chosen.title)}{body}</section>'
    )
    with st.container(key="model-shipped"):
        st.html(f'<div class="model-shipped">{listed}{beside}</div>')


def _card_of(name: str) -> str:
    try:
        return find_folder(name, load_policy()).read_text(CARD) or ""
    except CheckpointError:
        return ""


def _row(one: BundledCheckpoint, chosen: bool) -> str:
    try:
        licence = _LICENCE.search(Folder(one.folder, within=one.folder).read_text(CARD) or "")
        measured = read_figures(one.folder)
    except CheckpointError:
        licence, measured = None, ()
    figures = headline(measured)
    cells = (
        SYSTEMS[one.system].title,
        megabytes(one.size_bytes),
        licence[1] if licence else _("see its card"),
    )
    figures = figures or _("no figures")
    name = f"{escape(one.title)}<small>{escape(figures)}</small>"
    mark = ' aria-current="true"' if chosen else ""
    return (
        f'<tr{mark}><th scope="row">{name}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + "</tr>"
    )
