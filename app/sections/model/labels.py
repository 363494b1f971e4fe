"""What a fine-tuned model says of a text: its labels by name, or an answer."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.i18n import _
from app.parts.card_heading import heading_html
from app.parts.model_picker import ChosenModel
from app.parts.notices import notices
from app.parts.table_card import scrolling
from app.state import current_settings
from app.theme import percent
from core.config import FINE_TUNED_HEADS, Head
from core.engine import call
from core.tasks.fine_tuned import answer_question, classify_text, tag_tokens

MOST_CHARACTERS = 2_000
MOST_ROWS = 50

Row = tuple[str, ...]


def draw_labels(model: ChosenModel, status: DeltaGenerator) -> None:
    """Draw a field and what the model says of its text; nothing for a model without such a head."""
    there = () if model.entry is None else model.entry.heads
    head = next((head for head in FINE_TUNED_HEADS if head in there), None)
    if head is None:
        return
    with st.container(key="model-labels", gap="small"):
        answers = head is Head.ANSWER_SPAN
        with st.container(horizontal=True):
            typed = current_settings().text
            second = None
            if answers:
                text = _field(_("Question"), "label-question", "")
                second = _field(_("Text that answers it"), "label-answer", typed)
            else:
                text = _field(_("Text"), "label-text", typed)
            if head is Head.SEQUENCE_CLASSES:
                second = _field(_("Second text, for a model of pairs"), "label-pair", "") or None
        if not text or (answers and not second):
            return
        with notices():
            title, rows = _said(head, model.name, text, second, status)
            st.html(_card(title, rows))


def _field(label: str, key: str, value: str) -> str:
    first = value[:MOST_CHARACTERS]
    typed = st.text_input(label, first, MOST_CHARACTERS, key=key, width="stretch")
    return (typed or "").strip()


def _said(
    head: Head, name: str, text: str, second: str | None, status: DeltaGenerator
) -> tuple[str, Sequence[Row]]:
    """The heading of the card and its rows, the likeliest first; tokens in their order."""
    if head is Head.TOKEN_CLASSES:
        tags = ask(call(tag_tokens, name, text), status)
        each = zip(tags.encoding.pieces, tags.best, tags.probabilities.max(axis=1), strict=True)
        return _("Labels of tokens"), [(one, tag, percent(float(p))) for one, tag, p in each]
    if head is Head.ANSWER_SPAN:
        found = ask(call(answer_question, name, text, second), status)
        return _("Answers"), [(one.text, percent(one.probability)) for one in found.answers]
    said = ask(call(classify_text, name, text, second), status)
    numbers = said.probabilities or said.scores
    order = sorted(range(len(numbers)), key=lambda number: -numbers[number])
    told = percent if said.probabilities else "{:.4f}".format
    return _("Labels of the text"), [(said.labels[one], told(numbers[one])) for one in order]


def _card(title: str, rows: Sequence[Row]) -> str:
    lines = "".join(
        f'<tr><th scope="row"><bdi>{escape(first)}</bdi></th>'
        + "".join(f"<td><bdi>{escape(cell)}</bdi></td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows[:MOST_ROWS]
    )
    hint = "" if len(rows) <= MOST_ROWS else _("the first {count}").format(count=MOST_ROWS)
    table = f"<table><tbody>{lines}</tbody></table>"
    heading = heading_html(title, hint)
    return f'<section class="model-card model-labels">{heading}{scrolling(table, title)}</section>'
