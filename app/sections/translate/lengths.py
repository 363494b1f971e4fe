"""How well the bundled translators do on longer and longer sentences, as their figures say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import streamlit as st

from app.i18n import _
from app.models import models
from app.parts.length_chart import Scores, length_chart
from app.sections.translate.sentence import LANGUAGES
from core.checkpoints import bundled_checkpoint
from core.checkpoints.figures import read_figures
from core.hugging_face.errors import CheckpointError


def draw_lengths(language: str | None) -> None:
    """Draw sacreBLEU by the number of words of a sentence; nothing where nobody has measured it.

    Args:
        language: into which the page translates; ``None`` for that of a model with one alone.
    """
    wanted = language or "de"
    found = list(_scores(wanted))
    if not found:
        return
    measured, counts, notes = zip(*found, strict=True)
    with st.container(key="card-lengths", border=True):
        length_chart(
            _("Longer sentences"),
            _("sacreBLEU to {language} of held-out pairs, by words of the English sentence").format(
                language=_(LANGUAGES[wanted])
            ),
            measured,
            counts[0],
            " ".join(one for one in notes if one),
        )


def _scores(language: str) -> Iterator[tuple[Scores, Mapping[str, int], str]]:
    """Of every translator, and of those measured beside it: scores, sentences, and a note."""
    for entry in models():
        if bundled_checkpoint(entry.name) is None:
            continue
        try:
            runs = read_figures(entry.folder)
        except CheckpointError:
            continue
        for run in runs:
            counts = run.figures.get(f"sources_{language}_by_words")
            if not isinstance(counts, Mapping):
                continue
            yield _scores_of(entry.title, run.figures, language), counts, ""
            for what, figures in run.beside.items():
                title = _("the same {what}").format(what=what)
                yield _scores_of(title, figures, language), counts, str(figures.get("note", ""))


def _scores_of(title: str, figures: Mapping[str, Any], language: str) -> Scores:
    return Scores(title, figures[f"bleu_{language}_by_words"], figures[f"bleu_{language}"])
