"""Figures: what they are made of, and that they stand without Streamlit."""

import subprocess
import sys

from app.figures.theme import FigureTheme
from app.parts.figure import Figure
from app.theme import DARK, LIGHT


def test_figures_are_made_without_streamlit():
    script = "import sys, app.figures.theme; sys.exit('streamlit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_projector_gets_larger_type_and_a_dark_page_light_letters():
    small, large = FigureTheme(), FigureTheme(dark=True, presented=True)
    assert large.vega()["axis"]["labelFontSize"] > small.vega()["axis"]["labelFontSize"]
    assert large.plotly()["font"]["size"] > small.plotly()["font"]["size"]
    assert small.vega()["axis"]["labelColor"] == LIGHT.muted
    assert large.vega()["axis"]["labelColor"] == large.plotly()["xaxis"]["tickfont"]["color"]
    assert large.plotly()["font"]["color"] == DARK.text


def test_a_figure_is_made_once(open_page, monkeypatch):
    open_page().switch_page("../pages/findings.py").run()
    monkeypatch.setattr(Figure, "of_altair", None)
    page = open_page().switch_page("../pages/findings.py").run()
    assert page.get("vega_lite_chart")
    assert not page.exception
