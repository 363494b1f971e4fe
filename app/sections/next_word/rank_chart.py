"""The whole distribution by rank, which follows the sliders in the browser."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.figures.rank_probabilities import RankProbabilityWords, rank_probabilities
from app.figures.theme import FigureTheme
from app.i18n import _, current_language
from app.parts.figure import figure_theme, value_strings
from app.parts.scripts import script_component, vega_address
from app.sections.next_word.reading import PositionReading
from app.wire import pack

WHOLE: Final = 100  # ranks of which each is drawn
TENTH: Final = 40  # of those beyond, drawn between a rank and the tenfold one
KEY: Final = "rank_chart"


def draw_rank_chart(reading: PositionReading) -> None:
    """Draw the chart of the distribution that `draw_distribution` draws as bars."""
    ranks = drawn_ranks(len(reading.found.ids))
    data = {
        "identity": reading.identity,
        "ranks": ranks,
        "names": [
            reading.decoded.pieces[number] for number in reading.found.ids[ranks - 1].tolist()
        ],
        "vega": vega_address(),
        "specs": _specs(current_language(), figure_theme().presented),
        "strings": {**rank_strings(), **value_strings(_("Probability by rank"))},
    }
    script_component(
        "sections/next_word/rank_chart",
        "rank-chart",
        sheets=("css/figure_values", "css/vega_chart", "sections/next_word/rank_chart"),
    )(data=pack(data), key=KEY)


def drawn_ranks(count: int) -> NDArray[np.int32]:
    """Which ranks of a vocabulary are drawn, from 1: all to `WHOLE`, evenly on the axis beyond.

    >>> drawn_ranks(3).tolist()
    [1, 2, 3]
    """
    first = np.arange(1, min(count, WHOLE) + 1)
    if count <= WHOLE:
        return first.astype(np.int32)
    steps = int(np.ceil(TENTH * np.log10(count / WHOLE)))
    beyond = np.rint(np.geomspace(WHOLE, count, steps + 1))
    return np.unique(np.concatenate([first, beyond])).astype(np.int32)


def rank_strings() -> dict[str, Any]:
    """Every string of the chart."""
    return {
        "title": _("Probability by rank"),
        "hint": _("all ranks to {whole}, {beyond} of the {rest} beyond, evenly spaced on the axis"),
        "hintWhole": _("all ranks"),
        "words": asdict(_words()),
        "topK": _("top-k {k}"),
        "topP": _("top-p {p}: {kept} kept"),
        "number": _("number {rank} of the list"),
        "label": _(
            "Probability of {count} pieces by rank: the model gives the first {first} and the last"
            " {last}; the sliders keep {kept}"
        ),
    }


def _words() -> RankProbabilityWords:
    return RankProbabilityWords(
        rank=_("rank"),
        probability=_("probability"),
        piece=_("piece"),
        model=_("model"),
        sampling=_("by the sliders"),
        model_sum=_("model, sum up to it"),
        sampling_sum=_("by the sliders, sum up to it"),
        times=_("times drawn"),
    )


@cache
def _specs(_language: str, presented: bool) -> dict[str, Any]:
    """The chart for each scheme of colours."""
    return {
        scheme: rank_probabilities(_words(), FigureTheme(scheme == "dark", presented)).to_dict()
        for scheme in ("light", "dark")
    }
