"""The treemap of parameters: sums, order, words of strangers."""

import pytest

from app.figures.parameter_map import MappedPart, MapWords, modules_of, parameter_map
from app.figures.theme import FigureTheme
from app.theme import LIGHT

WORDS = MapWords("<b>mine</b>", "{count} parameters", "{share} of all", "{share} of the module")
TENSORS = (
    MappedPart(("tables", "tokens", "weight"), 6_000, "table", (600, 10)),
    MappedPart(("encoder", "layer 0", "attention", "query"), 1_000, "attention", (100, 10)),
    MappedPart(("encoder", "layer 0", "attention", "key"), 500, "attention", (50, 10)),
    MappedPart(("encoder", "layer 0", "norms", "scale"), 10, "norms", (10,)),
    MappedPart(("heads", "<i>a&b", "weight"), 490, "head", (49, 10)),
)


def drawn():
    (trace,) = parameter_map(modules_of(TENSORS), WORDS, FigureTheme()).data
    return trace


def test_modules_hold_the_sum_of_what_is_in_them_and_stand_before_it():
    assert [(one.path, one.count, one.kind, one.shape) for one in modules_of(TENSORS)] == [
        ((), 8_000, "", None),
        (("tables",), 6_000, "table", None),
        (("tables", "tokens"), 6_000, "table", (600, 10)),
        (("encoder",), 1_510, "", None),
        (("encoder", "layer 0"), 1_510, "", None),
        (("encoder", "layer 0", "attention"), 1_500, "attention", None),
        (("encoder", "layer 0", "attention", "query"), 1_000, "attention", (100, 10)),
        (("encoder", "layer 0", "attention", "key"), 500, "attention", (50, 10)),
        (("encoder", "layer 0", "norms"), 10, "norms", (10,)),
        (("heads",), 490, "head", None),
        (("heads", "<i>a&b"), 490, "head", (49, 10)),
    ]


def test_of_too_many_the_innermost_are_left_out():
    parts = modules_of(TENSORS, most=9)
    assert max(len(one.path) for one in parts) == 3
    assert sum(one.count for one in parts if len(one.path) == 1) == parts[0].count == 8_000


def test_rectangles_are_as_large_as_their_counts_and_add_up():
    trace = drawn()
    assert (trace.branchvalues, trace.maxdepth) == ("total", 4)
    inside: dict[str, int] = {}
    for around, count in zip(trace.parents, trace.values, strict=True):
        inside[around] = inside.get(around, 0) + count
    assert inside.pop("") == 8_000
    counts = dict(zip(trace.ids, trace.values, strict=True))
    assert inside == {around: counts[around] for around in inside}


def test_counts_and_shares_are_written_and_the_pointer_reads_them_exactly():
    trace = drawn()
    thin, space = "\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}"
    assert trace.labels[1] == f"tables · 6{thin}000 · 75{space}%"
    assert trace.text[6] == f"query<br>1{thin}000<br>12{space}%"
    assert trace.customdata[6].split("<br>") == [
        "encoder / layer 0 / attention / query",
        "100 × 10",
        f"1{thin}000 parameters",
        "12.50% of all",
        "66.67% of the module",
    ]


def test_names_of_strangers_are_text():
    trace = drawn()
    assert trace.labels[0].startswith("&lt;b&gt;mine&lt;/b&gt; ·")
    assert trace.text[-1].startswith("&lt;i&gt;a&amp;b<br>")
    told = "".join([*trace.labels, *trace.text, *trace.customdata])
    assert "<" not in told.replace("<br>", "")


def test_letters_have_the_contrast_of_their_ground():
    for dark in (False, True):
        figure = parameter_map(modules_of(TENSORS), WORDS, FigureTheme(dark=dark))
        (trace,) = figure.data
        for ground, letters in zip(trace.marker.colors, trace.textfont.color, strict=True):
            assert contrast(ground, letters) >= 4.5
    assert drawn().marker.line.color == LIGHT.card


def contrast(one, other):
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_first_part_is_the_model():
    with pytest.raises(ValueError, match="the model itself"):
        parameter_map(modules_of(TENSORS)[1:], WORDS, FigureTheme())
