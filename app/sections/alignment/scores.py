"""The six scores on the same small vectors, which the reader may change."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final

import streamlit as st

from app.i18n import N_, _
from app.parts.card_heading import card_heading
from app.parts.notices import notices, sentence
from app.sections.alignment.workings import (
    RECIPES,
    context_line,
    key_lines,
    key_name,
    shared_lines,
    weight_line,
)
from app.settings import FIELDS, Settings
from app.state import binding
from app.theme import percent
from core.analysis.alignment_steps import MatrixShapeError, Numbers, WorkedScore, work_out
from core.analysis.written_numbers import read_matrix
from core.errors import HeadlightError
from core.recurrent_config import Alignment

MOST: Final = 4  # states of the encoder, and numbers in each
FIELD_WIDTH: Final = 136
# The settings of the numbers, and what each is called.
VECTORS: Final = {
    "state": N_("State s"),
    "memory": N_("States h; h; h"),
    "weights_w": N_("W, row; row"),
    "weights_u": N_("U, row; row"),
    "weights_v": N_("v"),
    "weights_l": N_("L, a row a place"),
}


@st.fragment
def draw_scores(own: Alignment | None) -> None:
    """Draw the vectors and the six cards; changing a number runs only this part.

    Args:
        own: the score that the chosen model has, to be marked.
    """
    with st.container(key="card-scores", border=True, gap="small"):
        title, hint = _("Six scores, the same vectors"), _("change any number")
        card_heading(title, hint)
        with st.container(horizontal=True, gap="small", key="score-fields"):
            texts = {name: _field(_(label), name) for name, label in VECTORS.items()}
        with notices():
            query, keys = _vector("s", texts["state"]), _matrix(texts["memory"])
            if keys.shape[1] != len(query):
                raise MatrixShapeError("h", keys.shape, (len(keys), len(query)))
            cards = [_card(kind, query, keys, texts, own) for kind in RECIPES]
            st.html(f'<div class="scores">{"".join(cards)}</div>')


def _field(label: str, name: str) -> str:
    text = st.text_input(
        label,
        value=getattr(Settings, name),
        key=name,
        bind=binding(name),
        max_chars=FIELDS[name].metadata["most"],
        width=FIELD_WIDTH,
    )
    return text or ""


def _matrix(text: str) -> Numbers:
    return read_matrix(text, most=MOST)


def _vector(name: str, text: str) -> Numbers:
    found = _matrix(text)
    if len(found) != 1:
        raise MatrixShapeError(name, found.shape, (1, found.shape[1]))
    row: Numbers = found[0]
    return row


def _given(kind: Alignment, texts: Mapping[str, str]) -> dict[str, Numbers]:
    match kind:
        case Alignment.ADDITIVE:
            return {
                "W": _matrix(texts["weights_w"]),
                "U": _matrix(texts["weights_u"]),
                "v": _vector("v", texts["weights_v"]),
            }
        case Alignment.LOCATION:
            return {"L": _matrix(texts["weights_l"])}
        case Alignment.GENERAL:
            return {"W": _matrix(texts["weights_w"])}
        case _:
            return {}


def _card(
    kind: Alignment,
    query: Numbers,
    keys: Numbers,
    texts: Mapping[str, str],
    own: Alignment | None,
) -> str:
    """A score with everything that leads to it; or why it cannot be worked out. HTML."""
    recipe = RECIPES[kind]
    ours = _("the model’s")
    mark = f"<em>{escape(ours)}</em>" if kind is own else ""
    head = (
        f'<article class="score" data-kind="{kind.value}"><h3>{escape(_(recipe.title))}'
        f"<span>{escape(recipe.source)}</span></h3>"
        f'<p class="formula">{escape(recipe.formula())}{mark}</p>'
    )
    try:
        given = _given(kind, texts)
        worked = work_out(kind, query, keys, given)
    except HeadlightError as error:
        return f'{head}<p class="wrong">{escape(sentence(error))}</p></article>'
    return f"{head}{_body(worked, query, keys, given)}</article>"


def _body(worked: WorkedScore, query: Numbers, keys: Numbers, given: Mapping[str, Numbers]) -> str:
    shared = "".join(f'<p class="line">{escape(line)}</p>' for line in shared_lines(worked))
    rows = "".join(
        f'<tr><th scope="row">{key_name(at)}</th>'
        f"<td>{_lines(key_lines(worked, at, query, keys, given))}</td>"
        f'<td class="share"><i style="width:{100 * float(worked.weights[at]):.1f}%"></i>'
        f"<span>{percent(float(worked.weights[at]))}</span></td></tr>"
        for at in range(len(keys))
    )
    names = ("", _("score, step by step"), _("weight"))
    columns = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    return (
        f"{shared}<table><thead><tr>{columns}</tr></thead><tbody>{rows}</tbody></table>"
        f'<p class="line">{escape(weight_line(worked))}</p>'
        f'<p class="line">{escape(context_line(worked))}</p>'
    )


def _lines(lines: list[str]) -> str:
    """Lines below each other, the score at their end marked. HTML."""
    *others, last = map(escape, lines)
    before, equals, score = last.rpartition(" = ")
    return "<br>".join([*others, f"{before}{equals}<b>{score}</b>"])
