"""A code for positions as a picture: its vectors, single waves, and how near positions are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.i18n import _, ngettext
from app.parts.choices import Choice, address_choices
from app.parts.scripts import script_component
from app.theme import difference, percent
from app.wire import pack
from core.analysis.positions import Nearness, measure

OWN: Final = ("waves", "shown", "map")  # settings that the picture keeps in the browser


@dataclass(frozen=True)
class Vectors:
    """One vector a position, ``[position, dimension]``.

    Args:
        rows: the numbers.
        title, hint: what they are.
        names: of the dimensions, for example with their wavelengths.
    """

    rows: NDArray[Any]
    title: str
    hint: str
    names: Sequence[str]


@dataclass(frozen=True)
class Scores:
    """How near any two positions are, ``[query, key]``.

    Args:
        name: of the head, where there are several.
        scores: the numbers.
        group: heads of one group are drawn together.
    """

    name: str
    scores: NDArray[Any]
    group: int = 0


@dataclass(frozen=True)
class Code:
    """What is drawn.

    Args:
        vectors: None for a code that is only a term of the scores.
        scores: one, or one for each head.
        hint: what the scores are.
        first: the first position.
        strings: instead of some of :func:`position_strings`, where rows are no positions.
    """

    vectors: Vectors | None
    scores: Sequence[Scores]
    hint: str
    first: int = 0
    strings: Mapping[str, str] = field(default_factory=dict)


def position_view(code: Code, choice: Choice, *, key: str) -> None:
    """Draw a code; zoom, waves and heads are chosen in the browser and rerun nothing.

    Args:
        code: what to draw.
        choice: what the last scene says, with a number of its own.
        key: identity of this picture on its page.
    """
    component = script_component(
        "sections/positions/main", "positions", sheets=("sections/positions/positions",)
    )
    component(data=position_payload(code, choice), key=key)


def position_payload(code: Code, choice: Choice = None) -> bytes:
    """The message for the script."""
    return pack(
        {
            "count": len(code.scores[0].scores),
            "first": code.first,
            "hint": code.hint,
            "table": None if code.vectors is None else _table(code.vectors),
            "maps": [_map(one) for one in code.scores],
            **address_choices(OWN, choice),
            "strings": position_strings() | dict(code.strings),
        }
    )


def position_strings() -> dict[str, Any]:
    """Every string that the picture shows or speaks."""
    return {
        "zoom": _("positions shown"),
        "dimension": _("dimension"),
        "waves": _("Single dimensions"),
        "wavesHint": _("as waves over the positions"),
        "wavesLabel": _("Lines over the positions: {list}"),
        "remove": _("Take away {name}"),
        "matrixLabel": _(
            "{rows} positions down, {columns} dimensions across. Arrow keys read a number, Enter"
            " draws its dimension."
        ),
        "matrixHint": _(
            "Amber is negative, indigo positive, full from {most} on. Click a column to draw it."
        ),
        "matrixCell": _("position {position}, {name}: {value}"),
        "near": _("How near two positions are"),
        "nearLabel": _("{rows} positions down and across. Arrow keys read a number."),
        "nearHint": _("Point at a cell. Queries stand in rows, keys in columns."),
        "nearHintDashed": _("Below, dashed: the key stands before the query."),
        "nearCell": _("positions {row} and {column}, {distance} apart: {value}"),
        "curveLabel": _("Nearness by distance; the numbers stand in the table below."),
        "rise": _("first rise, after {from}"),
        "mapPicker": _("Head"),
        "byHead": _("By distance"),
        "byHeadHint": _("key minus query; each head a line"),
        "byHeadLabel": _("Position scores by distance, {name} drawn strongest"),
        "byHeadNote": _("The strong line is the chosen head’s mean; left of 0 the key is before."),
        "numbers": _("Nearness by distance, in numbers"),
        "columns": [
            _("distance"),
            _("mean, key after"),
            _("least"),
            _("most"),
            _("mean, key before"),
        ],
    }


def properties_of(found: Nearness, positions: int) -> list[dict[str, Any]]:
    """The three properties in words, each with the numbers that decide it."""
    if found.rise is None:
        falls = ngettext(
            "Nearness falls at every one of {count} step.",
            "Nearness falls at every one of {count} steps.",
            positions - 1,
        ).format(count=positions - 1)
    else:
        near, far = _told_apart(found.rise.near, found.rise.far)
        falls = _("{near} at distance {one}, {far} at {two}; so at {share} of the steps.").format(
            one=found.rise.distance,
            two=found.rise.distance + 1,
            near=near,
            far=far,
            share=percent(found.rising),
        )
    spread = _("Pairs equally far apart differ by {size} at most.")
    turned = _("Pairs and the same turned round differ by {size} at most.")
    return [
        _property(_("Monotonicity"), found.is_monotone, falls),
        _property(
            _("Translation invariance"),
            found.is_invariant,
            spread.format(size=_difference(found.spread, found.is_invariant)),
        ),
        _property(
            _("Symmetry"),
            found.is_symmetric,
            turned.format(size=_difference(found.asymmetry, found.is_symmetric)),
        ),
    ]


def _difference(size: float, rounding: bool) -> str:
    if not size:
        return "0"
    return _("{size} (rounding)").format(size=difference(size)) if rounding else _number(size)


def _property(title: str, holds: bool, words: str) -> dict[str, Any]:
    verdict = _("holds") if holds else _("fails")
    return {"title": title, "holds": holds, "verdict": verdict, "words": words}


def _told_apart(one: float, other: float) -> tuple[str, str]:
    """Both with as many digits as tell them apart, if four do."""
    for digits in (2, 3, 4):
        written = _number(one, digits), _number(other, digits)
        if written[0] != written[1]:
            return written
    return _number(one), _number(other)


def _number(value: float, digits: int = 2) -> str:
    if value and abs(value) < 0.5 * 10**-digits:
        return difference(value).replace("-", "\N{MINUS SIGN}", 1 if value < 0 else 0)
    return f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")


def _table(vectors: Vectors) -> dict[str, Any]:
    return {
        "columns": vectors.rows.shape[1],
        "title": vectors.title,
        "hint": vectors.hint,
        "names": list(vectors.names),
        "values": vectors.rows.astype(np.float32),
    }


def _map(one: Scores) -> dict[str, Any]:
    found = measure(one.scores)
    return {
        "name": one.name,
        "group": one.group,
        # Where only the distance counts, the browser makes the map of two curves.
        "scores": None if found.is_invariant else one.scores.astype(np.float32),
        "means": found.means.astype(np.float32),
        "least": found.least.astype(np.float32),
        "most": found.most.astype(np.float32),
        "before": found.before.astype(np.float32),
        "rise": None if found.rise is None else found.rise.distance,
        "symmetric": found.is_symmetric,
        "properties": properties_of(found, len(one.scores)),
    }
