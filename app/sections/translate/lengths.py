"""How well the bundled translators do on longer and longer sentences, as their figures say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from app.figures.score_by_group import ScoreWords, score_by_group
from app.figures.theme import FigureTheme
from app.i18n import _
from app.models import models
from app.parts.card_heading import card_heading
from app.parts.figure import Cell, Figure, draw_figure, remembered_figure
from app.sections.translate.sentence import LANGUAGES
from core.checkpoints import bundled_checkpoint
from core.checkpoints.figures import read_figures
from core.hugging_face.errors import CheckpointError


@dataclass(frozen=True)
class Measured:
    """A translator into one language.

    Attributes:
        title: what it is called.
        scores: by lengths, in their order; ``None`` where there was no sentence.
        whole: of all sentences together.
        counts: how many sentences of each length were translated.
        note: what else has to be known.
    """

    title: str
    scores: Mapping[str, float | None]
    whole: float
    counts: Mapping[str, int]
    note: str = ""


def draw_lengths(language: str | None) -> None:
    """Draw sacreBLEU by the number of words of a sentence; nothing where nobody has measured it.

    Args:
        language: into which the page translates; ``None`` for that of a model with one alone.
    """
    wanted = language or "de"
    found = list(_measured(wanted))
    if not found:
        return
    with st.container(key="card-lengths", border=True, gap="small"):
        hint = _("sacreBLEU to {language} of held-out pairs, by words of the English sentence")
        told = hint.format(language=_(LANGUAGES[wanted]))
        card_heading(_("Longer sentences"), told)
        figure = remembered_figure(
            lambda theme: _lines(found, told, theme), "lengths", wanted, repr(found)
        )
        draw_figure(figure, key="lengths")
        for note in (one.note for one in found if one.note):
            st.caption(note)


def _lines(found: list[Measured], told: str, theme: FigureTheme) -> Figure:
    counts = found[0].counts
    words = ScoreWords(
        _("words of the English sentence"), _("sacreBLEU"), _("sentences"), _("model")
    )
    scores = {one.title: [one.scores.get(name) for name in counts] for one in found}
    chart = score_by_group(scores, counts, words, theme)
    return Figure.of_altair(chart, _table(found, counts, words), told)


def _table(
    found: list[Measured], counts: Mapping[str, int], words: ScoreWords
) -> Mapping[str, list[Cell]]:
    """A row a length, and one for all sentences together."""
    return {
        words.group: [*counts, _("all")],
        words.count: [*counts.values(), sum(counts.values())],
        **{one.title: [*(one.scores.get(name) for name in counts), one.whole] for one in found},
    }


def _measured(language: str) -> Iterator[Measured]:
    """Every translator, and those measured beside it."""
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
            yield _of(entry.title, run.figures, language, counts)
            for what, figures in run.beside.items():
                title = _("the same {what}").format(what=what)
                yield _of(title, figures, language, counts, str(figures.get("note", "")))


def _of(
    title: str,
    figures: Mapping[str, Any],
    language: str,
    counts: Mapping[str, int],
    note: str = "",
) -> Measured:
    scores, whole = figures[f"bleu_{language}_by_words"], figures[f"bleu_{language}"]
    return Measured(title, scores, whole, counts, note)
