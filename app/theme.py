"""Colours, fonts and number formats, for figures and components.

Streamlit's own widgets take the same colours from `.streamlit/config.toml`.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Palette:
    """The colours of one theme, as CSS hexadecimal strings."""

    ground: str
    card: str
    hairline: str
    text: str
    muted: str
    accent: str  # what is chosen
    accent_ground: str
    signal: str  # what is hidden or predicted
    series: tuple[str, ...]  # things that are compared, in their order; each has a dash of its own


LIGHT = Palette(
    ground="#fbfbfd",
    card="#ffffff",
    hairline="#e3e5ef",
    text="#14161f",
    muted="#5c6273",
    accent="#3b4cca",
    accent_ground="#eceefb",
    signal="#b45309",
    series=("#3b4cca", "#b45309", "#0f766e", "#a21caf", "#14161f", "#7a5c00"),
)
DARK = Palette(
    ground="#0f1218",
    card="#171b23",
    hairline="#2a2f3a",
    text="#f2f4fa",
    muted="#9aa1b2",
    accent="#93a3ff",
    accent_ground="#20263b",
    signal="#fbbf24",
    series=("#93a3ff", "#fbbf24", "#5eead4", "#f0abfc", "#f2f4fa", "#d6c27a"),
)

# Lengths of line and gap in pixels, one a colour of the series: never told apart by colour alone.
DASHES: Final = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (12, 4), (4, 6))

SANS = "Inter, sans-serif"
MONOSPACE = "'JetBrains Mono', monospace"


def palette(theme: str | None) -> Palette:
    """The colours for a theme name as Streamlit reports it; light when it reports none."""
    return DARK if theme == "dark" else LIGHT


def percent(share: float) -> str:
    """A share between 0 and 1 as people say it: `31 %`; what would round to nothing is `< 1 %`."""
    if 0 < share < 0.005:
        return "< 1\N{NO-BREAK SPACE}%"
    return f"{share * 100:.0f}\N{NO-BREAK SPACE}%"


def grouped(number: int) -> str:
    """A large number with its thousands apart."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def milliseconds(seconds: float) -> str:
    """A short duration: `21 ms`; from one second on, `1.3 s`."""
    if seconds < 1:
        return f"{seconds * 1000:.0f}\N{NO-BREAK SPACE}ms"
    return f"{seconds:.1f}\N{NO-BREAK SPACE}s"


def difference(value: float) -> str:
    """A numerical difference in two significant digits: `1.9e-06`."""
    return f"{value:.1e}"


def probability(value: float) -> str:
    """A probability in a table: `0.310`."""
    return f"{value:.3f}"


def change(value: float) -> str:
    """A difference of probabilities, with its sign: `+0.020`, `−0.090`; none is `0.000`."""
    written = f"{value:+.3f}".replace("-", "\N{MINUS SIGN}")
    return written[1:] if written[1:] == "0.000" else written


def primary(label: str) -> str:
    """Markdown of a label in the accent colour."""
    return f":primary[{label}]"
