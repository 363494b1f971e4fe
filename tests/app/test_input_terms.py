"""The maps of a model's input: one scale, one choice of features, words that are text."""

from dataclasses import replace

import numpy as np
import pytest

from app.figures.input_terms import Term, TermWords, input_terms
from app.figures.theme import FigureTheme
from app.sizes import size_of

WORDS = TermWords("token", "feature", "length", "value", "own", "{token} {position} {segment}")
RANDOM = np.random.default_rng(0)
TOKENS = ("<s>", "&amp;", "a-token-of-many-letters", "<s>")


def term(name, sign, size=1.0, own_scale=False):
    vectors = (size * RANDOM.normal(size=(4, 30))).astype(np.float32)
    return Term(name, sign, vectors, np.linalg.norm(vectors, axis=-1), own_scale)


TOKEN, POSITION = term("token", ""), term("<b>position</b>", "+", 0.1)
SUM = replace(TOKEN, name="sum", sign="=", vectors=TOKEN.vectors + POSITION.vectors)
NORM = term("norm", "→", 5.0, own_scale=True)
TERMS = (TOKEN, POSITION, SUM, NORM)


def drawn(terms=TERMS, **theme):
    return input_terms(terms, TOKENS, "AABB", WORDS, FigureTheme(**theme))


def test_terms_and_sum_share_a_symmetric_scale_and_the_norm_has_its_own():
    figure = drawn()
    maps = [one for one in figure.data if one.type == "heatmap"]
    assert [one.coloraxis for one in maps] == ["coloraxis"] * 3 + ["coloraxis2"]
    for axis, shown in ((figure.layout.coloraxis, TERMS[:3]), (figure.layout.coloraxis2, [NORM])):
        sizes = np.abs(np.concatenate([one.vectors for one in shown]))
        assert axis.cmin == -axis.cmax
        assert 0.98 < np.mean(sizes <= axis.cmax) < 1
    assert figure.layout.coloraxis.colorscale[4] == (0.5, "#ffffff")
    assert drawn(dark=True).layout.coloraxis.colorscale[4] == (0.5, "#171b23")


def test_a_drag_chooses_features_in_every_map_and_no_tokens():
    layout = drawn().layout
    assert [layout[f"xaxis{at}"].matches for at in (2, 3, 4)] == ["x", "x", "x"]
    assert layout.yaxis.fixedrange
    assert layout.xaxis5.fixedrange  # lengths
    assert not any(layout[name].fixedrange for name in ("xaxis", "xaxis2", "xaxis3", "xaxis4"))
    titles = [layout[name].title.text for name in ("yaxis", "xaxis", "xaxis4")]
    assert titles == ["token", "feature", "feature"]


def test_a_cell_of_the_sum_is_read_with_its_terms():
    maps = [one for one in drawn().data if one.type == "heatmap"]
    np.testing.assert_array_equal(maps[2].customdata[..., 1], POSITION.vectors)
    assert maps[2].hovertemplate == (
        "%{y}, feature %{x}<br>token %{customdata[0]:.5f}<br>"
        "+ &lt;b&gt;position&lt;/b&gt; %{customdata[1]:.5f}<br>= sum %{z:.5f}<extra></extra>"
    )
    assert maps[0].customdata is None


def test_tokens_are_text_and_rows_that_read_the_same_stay_two():
    figure = drawn()
    assert list(figure.data[0].y) == [
        "&lt;s&gt; 0 A",
        "&amp;amp; 1 A",
        "a-token-of-many-letters 2 B",
        "&lt;s&gt; 3 B",
    ]
    labels = figure.layout.yaxis.ticktext
    assert labels[0].startswith("&lt;s&gt; <span")
    assert labels[2].startswith("a-token-of-… <span")
    names = [one.name for one in figure.data if one.type == "bar"]
    assert names == ["token", "&lt;b&gt;position&lt;/b&gt;", "sum"]


def test_lengths_are_exact_and_of_terms_and_sum_alone():
    bars = [one for one in drawn().data if one.type == "bar"]
    for bar, one in zip(bars, TERMS[:3], strict=True):
        np.testing.assert_array_equal(bar.x, one.lengths.astype(np.float32))


def test_a_remembered_figure_counts_what_it_holds():
    held = sum(one.vectors.nbytes for one in TERMS)
    assert size_of(drawn()) > held


def test_rows_have_to_agree():
    with pytest.raises(ValueError, match="one row a token"):
        input_terms(
            [replace(TOKEN, vectors=TOKEN.vectors[:2])], TOKENS, "AABB", WORDS, FigureTheme()
        )
