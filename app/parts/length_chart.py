"""A score by the length of a sentence: a bar a model, with its numbers in a table beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import streamlit as st

from app.i18n import _
from app.parts.card_heading import heading_html
from app.parts.table_card import scrolling

UNIT: Final = 20  # of the grid
MARKS: Final = 4  # models that look different


@dataclass(frozen=True)
class Scores:
    """A model.

    Attributes:
        title: what it is called.
        scores: by lengths, in their order; ``None`` where there was no sentence.
        whole: of all sentences together.
    """

    title: str
    scores: Mapping[str, float | None]
    whole: float


def length_chart(
    title: str, hint: str, models: Sequence[Scores], counts: Mapping[str, int], note: str
) -> None:
    """Draw the chart and the table.

    Args:
        title, hint: heading and what qualifies it.
        models: one a model, at most `MARKS` of different looks.
        counts: how many sentences of each length were translated; its order is that of the chart.
        note: what else has to be known.
    """
    lengths = tuple(counts)
    said = f'<p class="note">{escape(note)}</p>' if note else ""
    st.html(
        f'<section class="lengths">{heading_html(title, hint)}'
        f'<div class="both">{_drawing(models, lengths)}'
        f"<div>{scrolling(_table(models, counts), title)}{said}</div></div></section>"
    )


def _drawing(models: Sequence[Scores], lengths: Sequence[str]) -> str:
    highest = max(score or 0.0 for one in models for score in one.scores.values())
    top = UNIT * (int(highest) // UNIT + 1)
    ticks = "".join(
        f'<span class="tick" style="bottom:{100 * tick / top:.2f}%">{tick}</span>'
        for tick in range(0, top + 1, UNIT)
    )
    groups = "".join(
        '<div class="group">'
        + "".join(
            f'<i data-model="{number % MARKS}"'
            f' style="height:{100 * (one.scores.get(name) or 0.0) / top:.2f}%"></i>'
            for number, one in enumerate(models)
        )
        + f"<span>{escape(name)}</span></div>"
        for name in lengths
    )
    # The table beside it says the same.
    caption = _("words of the sentence")
    return (
        f'<figure aria-hidden="true"><div class="plot">{ticks}{groups}</div>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _table(models: Sequence[Scores], counts: Mapping[str, int]) -> str:
    heads = (_("words"), *counts, _("all"))
    columns = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    rows = "".join(
        f'<tr data-model="{number % MARKS}"><th scope="row"><i></i>{escape(one.title)}</th>'
        + "".join(f"<td>{_told(one.scores.get(name))}</td>" for name in counts)
        + f"<td><b>{_told(one.whole)}</b></td></tr>"
        for number, one in enumerate(models)
    )
    numbers = [*counts.values(), sum(counts.values())]
    sentences = "".join(f"<td>{number:,}</td>" for number in numbers)
    title = _("sentences")
    return (
        f"<table><thead><tr>{columns}</tr></thead><tbody>{rows}"
        f'<tr class="count"><th scope="row">{escape(title)}</th>{sentences}</tr>'
        "</tbody></table>"
    )


def _told(score: float | None) -> str:
    return "–" if score is None else f"{score:.1f}"
