"""Below everything: the runs as a file, a link, and how to read the page."""

from __future__ import annotations

import streamlit as st

from app.i18n import _
from app.parts.foot import foot
from app.sections.findings.standing import Standing
from app.theme import primary
from core.experiments.table import FACTOR, FINE_MARGIN, MARGIN


def draw_foot(standing: Standing) -> None:
    """Draw the line at the bottom of the page.

    Args:
        standing: of the finding that is shown.
    """

    def draw_runs() -> None:
        st.download_button(
            primary(_("The runs as JSON lines")),
            data="".join(f"{run.as_line()}\n" for run in standing.runs),
            file_name=f"{standing.experiment.name}.jsonl",
            mime="application/x-ndjson",
            key="finding-runs",
            on_click="ignore",
            type="tertiary",
        )

    foot(_how_to_read(), after=draw_runs if standing.runs else None)


def _how_to_read() -> str:
    return _(
        "- **A finding** is a claim of a paper, cut into comparisons of two settings that were"
        " trained alike but for one thing, with three seeds each.\n"
        "- **The verdict follows from the recorded numbers by a rule.** Lower: every seed of the"
        " one setting ends below every seed of the other, by the margin. Not higher: no seed ends"
        " above the worst of the other by more than the margin. *Reproduced*: all parts hold."
        " *Contrary*: the opposite of any part holds. Else *not at this scale*.\n"
        "- **Margins** were set before the first run: {margin} nats a token, twice what a mean"
        " over our 1,769 held-out tokens may be off by, and 5 % of perplexity; {fine} between two"
        " measures of one run; for gradient norms a factor of {factor}. Why stands beside them in"
        " the code.\n"
        "- **The papers’ figures** stand in grey with their sources, ours in colour: they were"
        " measured on other data, with other models, often in BLEU, and are not to be subtracted"
        " from ours.\n"
        "- **Ours** is the lab’s Transformer on pairs of English and German number words: 4,000"
        " to learn from, 256 others to measure with. Loss is in nats a token; accuracy counts the"
        " tokens that come first, each after the right ones before it.\n"
        "- **First gradients** are taken before any weight has moved, layer by layer from 0.\n"
        "- **Three seeds are few.** Runs without any difference would be told apart by chance in 1"
        " of 20 comparisons. A finding that shows in so small a model need not show in a large"
        " one, nor the other way round."
    ).format(margin=f"{MARGIN:g}", fine=f"{FINE_MARGIN:g}", factor=f"{2.718281828**FACTOR:.2f}")
