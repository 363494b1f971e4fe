"""What the rule compares, with our numbers: from which the verdict follows."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.i18n import _
from app.sections.findings.standing import Standing
from app.sections.findings.words import (
    holds_in_words,
    range_in_words,
    relation_in_words,
    setting_names,
    side_in_words,
)
from core.experiments.verdict import FEWEST_SEEDS, Compared


def draw_rule(standing: Standing) -> None:
    """Draw one entry a comparison; without a verdict, what is missing."""
    names = setting_names(standing.experiment)
    title = _("What follows from ours")
    if standing.verdict is None:
        missing = [
            names[one.name]
            for one in standing.experiment.settings
            if len(standing.runs_of(one.name)) < FEWEST_SEEDS
        ]
        words = _("Nothing yet: a verdict needs {count} seeds of every setting. Too few: {names}.")
        body = f"<p>{escape(words.format(count=FEWEST_SEEDS, names='; '.join(missing)))}</p>"
    else:
        parts = "".join(_part(one, names) for one in standing.verdict.compared)
        body = f"<ol>{parts}</ol>"
    hint = _("every part must hold")
    st.html(
        f'<section class="finding-rule"><h3>{escape(title)}<span> · {escape(hint)}</span></h3>'
        f"{body}</section>"
    )


def _part(compared: Compared, names: dict[str, str]) -> str:
    first, second = compared.comparison.first, compared.comparison.second
    kind = "holds" if compared.holds else "reversed" if compared.reversed else "open"

    def side(words: str, values: str) -> str:
        return f"<b>{escape(words)}</b><data>{escape(values)}</data>"

    return (
        f'<li class="{kind}">'
        f"{side(side_in_words(first, names), range_in_words(compared.first, first))}"
        f"<em>{escape(relation_in_words(compared))}</em>"
        f"<strong>{escape(holds_in_words(compared))}</strong>"
        f"{side(side_in_words(second, names), range_in_words(compared.second, second))}</li>"
    )
