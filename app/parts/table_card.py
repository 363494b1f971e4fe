"""A card with a small table of words and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from app.parts.card_heading import heading_html


@dataclass(frozen=True)
class Cell:
    """A cell: a word of the model, which may be marked, or a number."""

    text: str
    number: bool = False
    marked: bool = False


def table_card(
    title: str,
    hint: str,
    columns: Sequence[Cell],
    rows: Sequence[Sequence[Cell]],
    *,
    note: str = "",
    room: int = 0,
) -> None:
    """Draw the card. Text is shown as it is, whatever is in it.

    Args:
        title, hint: its heading and what qualifies it.
        columns: the headings.
        rows: as many cells each as there are columns.
        note: a line below the table.
        room: as many rows' room is kept where there are fewer.
    """
    head = "".join(
        f'<th scope="col"{_class(cell)}><bdi>{escape(cell.text)}</bdi></th>' for cell in columns
    )
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    empty = "".join(
        f'<tr aria-hidden="true"><td colspan="{len(columns)}">&nbsp;</td></tr>'
        for _row in range(room - len(rows))
    )
    st.html(
        f'<section class="mask-card">{heading_html(title, hint)}'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}{empty}</tbody></table>"
        f'<p class="mask-note">{escape(note)}</p></section>'
    )


def scrolling(table: str, name: str) -> str:
    """A table as HTML that scrolls by itself where the screen is narrower, also with the keys."""
    place = f'class="scrolling" tabindex="0" role="region" aria-label="{escape(name)}"'
    return f"<div {place}>{table}</div>"


def _cell(cell: Cell) -> str:
    text = f"<bdi>{escape(cell.text)}</bdi>"
    return f"<td{_class(cell)}>{f'<b>{text}</b>' if cell.marked else text}</td>"


def _class(cell: Cell) -> str:
    return ' class="number"' if cell.number else ""
