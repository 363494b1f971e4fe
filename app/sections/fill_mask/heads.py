"""Heads as switches, what the model says without some of them, and those at the mask."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.i18n import _, ngettext
from app.navigation import PAGES
from app.parts.head_switches import head_switches
from app.parts.notices import notices
from app.parts.sentence_box import READ_ALONE
from app.sections.fill_mask.ablations import draw_ablations
from app.sections.fill_mask.compared import draw_compared
from app.sections.fill_mask.head_ranking import Ranked, Ranking, head_ranking
from app.sections.fill_mask.reading import MaskedReading, cards, found_reading, wait_line
from app.state import open_page
from app.theme import percent
from core.analysis.heads_at import heads_from, heads_onto

SWITCHES, RANKING = "head_switches", "head_ranking"
LISTED = 5
NAMED = 3  # heads that are named in the heading


@st.fragment
def draw_heads(checkpoint: str, text: str) -> None:
    """Draw the switches and what they do; turning a head off runs only this part."""
    with st.container(key="fill-heads", gap="small"), notices():
        status = wait_line("fill-heads")
        left, right = cards("switches", "change")
        below = st.container(key="card-ranking", border=True)
        last = st.container(key="card-ablations", border=True)
        reading = found_reading(checkpoint, text, status)
        assert reading.result.patterns is not None  # asked for
        with left:
            head_switches(reading.result.patterns, reading.off, key=SWITCHES)
        with right, notices():
            _draw_change(reading, status)
        with below:
            _draw_ranking(reading)
        with last:
            draw_ablations(reading)


def _draw_change(reading: MaskedReading, status: DeltaGenerator) -> None:
    off = reading.off
    title, hint = _what_is_off(off)
    draw_compared(
        reading,
        reading.compare(off=off) if off else None,
        status,
        title=title,
        hint=hint,
        unchanged=_(
            "Click a head to turn it off: what it mixes is set to zero, the rest stays as it is."
        ),
    )


def _what_is_off(off: tuple[tuple[int, int], ...]) -> tuple[str, str]:
    if not off:
        return _("With every head on"), _("the likeliest words")
    if len(off) == 1:
        layer, head = off[0]
        without = _("Without layer {layer}, head {head}").format(layer=layer, head=head)
        return without, _("before: every head on")
    without = ngettext("Without {count} head", "Without {count} heads", len(off))
    named = [_("layer {layer}, head {head}").format(layer=la, head=he) for la, he in off[:NAMED]]
    names = "; ".join([*named, "…"] if len(off) > NAMED else named)
    return without.format(count=len(off)), names


def _draw_ranking(reading: MaskedReading) -> None:
    patterns, encoding = reading.result.patterns, reading.result.encoding
    assert patterns is not None
    position, off = reading.chosen.position, set(reading.off)
    onto = heads_onto(patterns, position, special=encoding.special)[:LISTED]
    beyond = heads_from(patterns, position, special=encoding.special)[:LISTED]
    name = _namer(reading)
    rankings = [
        Ranking(
            _("The others look at the mask"),
            _("mean weight that the rows of other words put on it"),
            [
                Ranked(
                    one.layer, one.head, one.share, percent(one.share),
                    _("most from {token}, {weight}").format(
                        token=name(one.query), weight=percent(one.weight)
                    ),
                    one.query, position, (one.layer, one.head) in off,
                )
                for one in onto
            ],
        ),
        Ranking(
            _("The mask looks at another word"),
            _("largest weight in the row of the mask"),
            [
                Ranked(
                    one.layer, one.head, one.weight, percent(one.weight),
                    _("at {token}").format(token=name(one.key)),
                    position, one.key, (one.layer, one.head) in off,
                )
                for one in beyond
            ],
        ),
    ]  # fmt: skip
    wanted = head_ranking(
        rankings,
        title=_("Heads at the mask"),
        hint=_("{specials} not counted").format(
            specials=", ".join(dict.fromkeys(_specials(reading)))
        ),
        key=RANKING,
    )
    if wanted:
        _open_in_attention(reading, wanted)


def _specials(reading: MaskedReading) -> list[str]:
    encoding = reading.result.encoding
    marked = zip(encoding.pieces, encoding.special, strict=True)
    return [piece for piece, special in marked if special]


def _namer(reading: MaskedReading) -> Callable[[int], str]:
    """How a token is called; with its place where its piece occurs more than once."""
    pieces = reading.result.encoding.pieces

    def name(at: int) -> str:
        quoted = _("“{token}”").format(token=pieces[at])
        if pieces.count(pieces[at]) == 1:
            return quoted
        return _("{token} at {position}").format(token=quoted, position=at)

    return name


def _open_in_attention(reading: MaskedReading, wanted: Ranked) -> None:
    """Go to the page of all heads, with the mask written in the text."""
    places = {name: str(getattr(wanted, name)) for name in ("layer", "head", "token", "key")}
    open_page(
        PAGES / "attention.py",
        {"text": reading.masked_text},
        places=places,
        forgotten=READ_ALONE,  # their numbers mean others in a text with masks
    )
