"""Positions as a curve in space."""

import numpy as np
import pytest

from app.figures.components import CurveWords, position_curve
from app.figures.theme import FigureTheme

WORDS = CurveWords("position", "PC{number} ({share})")
POINTS = np.arange(12.0).reshape(4, 3)


def test_the_curve_goes_from_position_to_position_in_colours_of_a_scale():
    figure = position_curve(POINTS, np.array([0.5, 0.25, 0.001]), 7, WORDS, FigureTheme())
    (curve,) = figure.data
    assert curve.mode == "lines+markers"
    for coordinate, at in (("x", 0), ("y", 1), ("z", 2)):
        assert curve[coordinate].tolist() == POINTS[:, at].tolist()
    assert curve.customdata.tolist() == curve.marker.color.tolist() == [7, 8, 9, 10]
    assert curve.marker.colorbar.title.text == "position"
    titles = [figure.layout.scene[f"{name}axis"].title.text for name in "xyz"]
    assert [title.replace("\N{NO-BREAK SPACE}", " ") for title in titles] == [
        "PC1 (50 %)",
        "PC2 (25 %)",
        "PC3 (< 1 %)",
    ]
    # A unit is as long on every axis: what varies little must not look as if it varied much.
    assert figure.layout.scene.aspectmode == "data"


def test_a_projector_gets_larger_letters():
    shares = np.array([1.0, 0.0, 0.0])
    small, large = (
        position_curve(POINTS, shares, 0, WORDS, FigureTheme(presented=presented))
        for presented in (False, True)
    )
    assert large.layout.height > small.layout.height
    assert large.layout.scene.xaxis.tickfont.size > small.layout.scene.xaxis.tickfont.size


def test_points_of_another_space_are_refused():
    with pytest.raises(ValueError, match="three coordinates"):
        position_curve(POINTS[:, :2], np.ones(2), 0, WORDS, FigureTheme())
