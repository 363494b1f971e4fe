"""The formula of every schedule, as its paper has it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import streamlit as st

from app.i18n import _
from app.parts.card_heading import card_heading
from app.sections.schedules.schedule_charts import schedule_names

COLUMNS = 3


@dataclass(frozen=True)
class Formula:
    """A name in words, the formula in TeX, and where it comes from."""

    name: str
    tex: str
    source: str


def formulas() -> tuple[Formula, ...]:
    """The five schedules, and the term of the second chart."""
    names = schedule_names()
    return (
        Formula(names["constant"], r"\eta(s) = \eta_{\max}", _("no warm-up")),
        Formula(
            names["linear"], r"\eta(s) = \eta_{\max}\,\bigl(1 - \tfrac{s}{T}\bigr)", _("no warm-up")
        ),
        Formula(
            names["transformer"],
            r"\eta(s) = d^{-\frac12}\min\bigl(s^{-\frac12},\; s\,w^{-\frac32}\bigr)",
            _("Vaswani et al. 2017, section 5.3, equation 3"),
        ),
        Formula(
            names["cosine"],
            r"\eta(s) = \tfrac12\,\eta_{\max}\bigl(1 + \cos \pi\tfrac{T_{\mathrm{cur}}}{T_i}\bigr)",
            _("Loshchilov and Hutter 2017, equation 5, lowest rate 0; here after a warm-up"),
        ),
        Formula(
            names["bert"],
            r"\eta(s) = \eta_{\max}\min\bigl(\tfrac{s}{w},\; \tfrac{T - s}{T - w}\bigr)",
            _("Devlin et al. 2018, appendix A.2: w = 10,000, peak 1e-4"),
        ),
        Formula(
            _("RAdam’s rectification"),
            r"r_t = \sqrt{\tfrac{(\rho_t - 4)(\rho_t - 2)\,\rho_\infty}"
            r"{(\rho_\infty - 4)(\rho_\infty - 2)\,\rho_t}}",
            _("Liu et al. 2020, algorithm 2; only where ρ exceeds 4"),
        ),
    )


def draw_formulas() -> None:
    """Draw the formulas as cards, three in a row, and what their letters mean."""
    with st.container(key="schedule-formulas", gap=None):
        for row in _rows():
            for column, formula in zip(st.columns(COLUMNS), row, strict=True):
                with column, st.container(gap=None):
                    card_heading(formula.name)
                    st.latex(formula.tex)
                    st.html(f"<p>{escape(formula.source)}</p>")
        letters = _(
            "s updates made before, w warm-up, T total, d width, η rate; T_cur steps since the last"
            " restart, T_i length of the present period; ρ degrees of freedom."
        )
        lowered = (
            escape(letters).replace("T_cur", "T<sub>cur</sub>").replace("T_i", "T<sub>i</sub>")
        )
        st.html(f"<p>{lowered}</p>")


def _rows() -> list[tuple[Formula, ...]]:
    found = formulas()
    return [found[at : at + COLUMNS] for at in range(0, len(found), COLUMNS)]
