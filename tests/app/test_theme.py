import itertools
import tomllib
from pathlib import Path

import pytest

from app import theme

ROOT = Path(__file__).resolve().parent.parent.parent
CONFIG = tomllib.loads((ROOT / "app/.streamlit/config.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["light", "dark"])
def test_widgets_and_figures_have_the_same_colours(name):
    colours, palette = CONFIG["theme"][name], theme.palette(name)
    assert colours["primaryColor"] == palette.accent
    assert colours["backgroundColor"] == palette.ground
    assert colours["secondaryBackgroundColor"] == palette.card
    assert colours["borderColor"] == palette.hairline
    assert colours["textColor"] == palette.text
    assert colours["grayColor"] == palette.muted
    assert colours["orangeColor"] == palette.signal


def luminance(colour):
    """Relative luminance of WCAG 2.2."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Ratio of WCAG 2.2."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("palette", [theme.LIGHT, theme.DARK])
@pytest.mark.parametrize(
    ("colour", "ground"),
    [
        *itertools.product(["text", "muted", "accent", "signal"], ["ground", "card"]),
        *itertools.product(["text", "accent"], ["accent_ground"]),
    ],
)
def test_text_can_be_read_on_every_ground(palette, colour, ground):
    assert contrast(getattr(palette, colour), getattr(palette, ground)) >= 4.5


@pytest.mark.parametrize("palette", [theme.LIGHT, theme.DARK])
def test_compared_things_stand_out_and_have_dashes_of_their_own(palette):
    assert len(set(palette.series)) == len(palette.series) == len(set(theme.DASHES))
    assert all(contrast(colour, palette.card) >= 3 for colour in palette.series)


def test_every_font_file_is_there_with_its_licence():
    for face in CONFIG["theme"]["fontFaces"]:
        path = ROOT / face["url"]
        assert path.is_file()
        assert path.read_bytes()[:4] == b"wOF2"
    folder = ROOT / "app/static/fonts"
    assert {path.name for path in folder.glob("*.txt")} == {
        "inter-OFL.txt",
        "jetbrains-mono-OFL.txt",
    }


@pytest.mark.parametrize(
    ("share", "written"), [(0, "0 %"), (0.001, "< 1 %"), (0.314, "31 %"), (1, "100 %")]
)
def test_percent(share, written):
    assert theme.percent(share) == written.replace(" %", "\N{NO-BREAK SPACE}%")


@pytest.mark.parametrize(("seconds", "written"), [(0.0214, "21 ms"), (1.26, "1.3 s")])
def test_milliseconds(seconds, written):
    assert theme.milliseconds(seconds) == written.replace(" ", "\N{NO-BREAK SPACE}")


def test_difference():
    assert theme.difference(0.00000187) == "1.9e-06"
