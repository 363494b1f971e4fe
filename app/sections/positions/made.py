"""Codes that a formula makes: nothing in them is trained."""

from __future__ import annotations

import numpy as np

from app.i18n import _
from app.sections.positions.position_view import Code, Scores, Vectors
from app.settings import Settings
from core.analysis.positions import Numbers, pair_of, products, rotate, sinusoids, wavelengths

KEY_NOISE = 0.5  # a key that is like its query, but not the same

Drawn = tuple[str, Code]


def waves(settings: Settings) -> Drawn:
    """Vaswani's sinusoids: where they come from, and the picture."""
    count, width, halves = settings.positions, settings.dimensions, settings.halves
    rows = sinusoids(count, width, start=settings.start, halves=halves)
    if halves:
        source = _(
            "By formula, all sines first, as in Marian: dimension k is sin(t / 10000^(2k/d)),"
            " dimension d/2 + k its cosine. Vaswani et al. 2017, section 3.5, interleaves them."
        )
    else:
        source = _(
            "By formula, as in Vaswani et al. 2017, section 3.5: dimension 2k of position t is"
            " sin(t / 10000^(2k/d)), dimension 2k + 1 its cosine."
        )
    vectors = Vectors(
        rows, _("The code"), _size(count, width), names_of_waves(width, halves=halves)
    )
    return source, Code(
        vectors, [Scores("", products(rows))], _("dot product of their codes"), settings.start
    )


def rotated(settings: Settings) -> Drawn:
    """Rotary positions on one query and one key: where they come from, and the picture."""
    count, halves = settings.positions, settings.halves
    width = settings.dimensions - settings.dimensions % 2
    query, key = query_and_key(width)
    queries, keys = (
        rotate(one, count, start=settings.start, halves=halves) for one in (query, key)
    )
    source = _(
        "By formula, no model here has it: Su et al. 2021, “RoFormer”, section 3.2.2. A query at"
        " random, and a key that is it with half as much noise."
    )
    pairs = _("k and k + d/2 turn together") if halves else _("neighbours turn together")
    vectors = Vectors(
        queries,
        _("A turned query"),
        pairs,
        _turned_names(width, halves=halves),
    )
    return source, Code(
        vectors,
        [Scores("", products(queries, keys))],
        _("turned query · turned key"),
        settings.start,
    )


def query_and_key(width: int) -> tuple[Numbers, Numbers]:
    """A query at random and a key that is like it, ``[width]`` each, always the same."""
    generator = np.random.default_rng(0)
    query = generator.standard_normal(width)
    return query, query + KEY_NOISE * generator.standard_normal(width)


def _size(positions: int, width: int) -> str:
    return _("{positions} positions × {width} dimensions").format(positions=positions, width=width)


def names_of_waves(width: int, *, halves: bool) -> list[str]:
    """What each dimension of the sinusoids is called: its number, kind and wavelength."""
    sine, cosine = _("{at}, sine, wavelength {length}"), _("{at}, cosine, wavelength {length}")
    return [
        (cosine if pair_of(at, width, halves=halves)[1] else sine).format(
            at=at, length=_length(length)
        )
        for at, length in enumerate(wavelengths(width, halves=halves))
    ]


def _turned_names(width: int, *, halves: bool) -> list[str]:
    name = _("{at}, one turn in {length}")
    return [
        name.format(at=at, length=_length(length))
        for at, length in enumerate(wavelengths(width, halves=halves))
    ]


def _length(positions: float) -> str:
    return f"{positions:.1f}" if positions < 100 else f"{positions:,.0f}"
