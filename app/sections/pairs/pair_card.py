"""A card with a model's answers about a pair of sentences, one column for each arrangement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from app.i18n import _
from app.parts.card_heading import heading_html
from app.theme import probability


@dataclass(frozen=True)
class Answer:
    """What is said of one arrangement: its name, and the probabilities of the labels."""

    name: str
    probabilities: Sequence[float]


@dataclass(frozen=True)
class PairCard:
    """A card.

    Args:
        question, hint: its heading and what qualifies it.
        labels: the answers that there are.
        answers: one an arrangement.
        moved: what changes from one to the next, in words.
        blind: what the objective cannot tell.
        held_out: how good the model is at it.
    """

    question: str
    hint: str
    labels: Sequence[str]
    answers: Sequence[Answer]
    moved: str
    blind: str
    held_out: str


def pair_card(card: PairCard) -> None:
    """Draw the card. Text is shown as it is, whatever is in it."""
    columns = "".join(f'<th scope="col">{escape(one.name)}</th>' for one in card.answers)
    rows = "".join(
        f'<tr><th scope="row">{escape(label)}</th>'
        + "".join(_cell(one.probabilities, at) for one in card.answers)
        + "</tr>"
        for at, label in enumerate(card.labels)
    )
    loss = _("loss if “{label}”").format(label=card.labels[0])
    losses = "".join(f"<td>{_loss(one.probabilities[0])}</td>" for one in card.answers)
    said = "".join(
        f'<p class="{kind}">{escape(words)}</p>'
        for kind, words in (
            ("moved", card.moved),
            ("blind", card.blind),
            ("held-out", card.held_out),
        )
    )
    st.html(
        f'<section class="pair-card">{heading_html(card.question)}'
        f'<p class="hint">{escape(card.hint)}</p>'
        f"<table><thead><tr><td></td>{columns}</tr></thead><tbody>{rows}"
        f'<tr class="loss"><th scope="row">{escape(loss)}</th>{losses}</tr></tbody></table>'
        f"{said}</section>"
    )


def _cell(probabilities: Sequence[float], at: int) -> str:
    share = probabilities[at]
    text = probability(share)
    if share == max(probabilities):
        text = f"<b>{text}</b>"
    return f'<td><i style="width:{100 * share:.1f}%"></i>{text}</td>'


def _loss(share: float) -> str:
    return f"{-math.log(share):.3f}" if share > 0 else "∞"
