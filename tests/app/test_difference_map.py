"""The difference of two maps: its scale, its labels, what the pointer says."""

import numpy as np
import pytest

from app.figures.difference_map import NAMED, DifferenceWords, difference_map
from app.figures.theme import FigureTheme

WORDS = DifferenceWords("row", "column", "right − left", "{query} to {key}")
LEFT = np.array([[0.75, 0.25], [0.5, np.nan]])
RIGHT = np.array([[0.25, 0.75], [0.625, np.nan]])
HOSTILE = ["<b>it</b>", "a &amp; b"]


def drawn(left=LEFT, right=RIGHT, rows=HOSTILE, columns=HOSTILE):
    names = ("First <i>", "Second")
    return difference_map(left, right, rows, columns, names, WORDS, FigureTheme()).to_dict()


def test_its_scale_is_its_own_and_has_nothing_in_its_middle():
    figure = difference_map(LEFT, RIGHT, HOSTILE, HOSTILE, ("a", "b"), WORDS, FigureTheme())
    np.testing.assert_array_equal(figure.data[0].z, RIGHT - LEFT)
    [heat] = drawn()["data"]
    assert (heat["zmin"], heat["zmax"]) == (-0.5, 0.5)
    assert heat["colorbar"]["ticktext"] == ["\N{MINUS SIGN}0.5000", "0", "+0.5000"]
    colours = [colour for _place, colour in heat["colorscale"]]
    assert colours == list(FigureTheme().diverging)


def test_tokens_are_text_at_the_axes_and_at_the_pointer():
    figure = drawn()
    for axis in ("xaxis", "yaxis"):
        assert figure["layout"][axis]["ticktext"] == ["&lt;b&gt;it&lt;/b&gt;", "a &amp;amp; b"]
    text = figure["data"][0]["text"]
    assert text[0][1] == (
        "&lt;b&gt;it&lt;/b&gt; to a &amp;amp; b<br>First &lt;i&gt; 0.250000<br>Second 0.750000"
        "<br>right − left +0.5000"
    )
    assert text[1][1] == ""  # may not be seen
    assert figure["layout"]["yaxis"]["autorange"] == "reversed"


def test_of_many_columns_some_have_their_name():
    count = NAMED + 1
    map_ = np.full((2, count), 1 / count)
    axis = drawn(map_, map_, ["a", "b"], [f"<{at}" for at in range(count)])["layout"]["xaxis"]
    assert axis["nticks"] == NAMED
    assert axis["labelalias"]["3"] == "&lt;3"
    assert "ticktext" not in axis


def test_two_maps_that_are_the_same_have_a_scale_all_the_same():
    [heat] = drawn(LEFT, LEFT)["data"]
    assert heat["zmax"] == 1


def test_maps_that_do_not_fit_their_labels_are_refused():
    with pytest.raises(ValueError, match="do not fit"):
        drawn(columns=["a"])
