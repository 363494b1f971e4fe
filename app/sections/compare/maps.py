"""The three maps, and what is said about how they were put side by side."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.ask import remembered
from app.i18n import _, ngettext
from app.parts.model_picker import width_for
from app.parts.sentence_box import draw_facts
from app.sections.compare.compared_maps import (
    ComparedSide,
    Heads,
    compared_maps,
    fits_at_once,
    wanted_pair,
)
from app.sections.compare.difference import difference_asked, draw_difference
from app.sections.compare.reading import ComparedReadings, shown_heads
from app.sections.compare.sides import Places
from app.sections.scenes import canvas_of_scene
from app.state import choose, current_settings
from app.theme import milliseconds
from core.tasks.compare_attention import (
    AttentionKind,
    PairedMaps,
    common_kinds,
    compare_attention,
    kinds_of,
    share_rows,
)

KEY = "compared"
KIND_KEY, WORDS_KEY, PAIR = "compare-kind", "compare-words", "pair of heads that is wanted"


def draw_maps(readings: ComparedReadings, places: Places) -> None:
    """Draw both maps and their difference."""
    left, right = readings.first.attention, readings.second.attention
    kinds = common_kinds(left, right)
    with places.facts:
        facts = st.container(width="content")
        kind = _kind_picker(kinds, readings.kind or kinds[0])
        by_words = _words_toggle(readings, kind)
    shapes = [kinds_of(one)[kind].patterns.shape for one in (left, right)]
    only = None if fits_at_once(*shapes) else _pair(*shapes)
    maps = remembered(
        (readings.left, readings.right),
        ("compared", kind, by_words, only),
        lambda: compare_attention(left, right, kind=kind, by_words=by_words, heads=only),
    )
    seconds = milliseconds(left.seconds + right.seconds)
    passes = _("{time} for both passes").format(time=seconds)
    said = [escape(_how(maps)), escape(passes)]
    draw_facts(facts, said, readings.typed, readings.other)
    with st.container(key="compare-maps"):
        first, second = (
            ComparedSide(title, shape[0], shape[1])
            for title, shape in zip(readings.sides.titles, shapes, strict=True)
        )
        compared_maps(
            maps,
            first,
            second,
            only=only,
            choice=canvas_of_scene(),
            follows=difference_asked(),
            key=KEY,
            on_pair=_remember,
        )
    with st.container(gap="small"):  # so that what stands below keeps its place
        draw_difference(readings, maps, only or _pair(*shapes), alone=only is not None)


def _how(maps: PairedMaps) -> str:
    """How the two were put side by side."""
    rows = maps.rows
    if rows.by == "tokens":
        said = ngettext(
            "{count} token on both sides, cell by cell",
            "{count} tokens on both sides, cell by cell",
            len(rows),
        )
    else:
        said = ngettext(
            "{count} word, its pieces summed as columns and averaged as rows,"
            " special tokens left out",
            "{count} words, their pieces summed as columns and averaged as rows,"
            " special tokens left out",
            len(rows),
        )
    parts = [said.format(count=len(rows))]
    if rows.replaced:
        pairs = [f"{rows.left_labels[at]} / {rows.right_labels[at]}" for at in rows.replaced]
        parts.append(_("replaced: {words}").format(words=", ".join(dict.fromkeys(pairs))))
    return " · ".join(parts)


def _kind_picker(kinds: tuple[AttentionKind, ...], shown: AttentionKind) -> AttentionKind:
    if len(kinds) == 1:
        return shown
    names = {
        "text": _("within the text"),
        "target": _("within the translation"),
        "cross": _("from translation to text"),
    }
    st.session_state[KIND_KEY] = shown
    kind: AttentionKind = st.selectbox(
        _("Kind of attention"),
        kinds,
        format_func=lambda name: names[name],
        key=KIND_KEY,
        label_visibility="collapsed",
        on_change=lambda: choose("set", st.session_state[KIND_KEY]),
        width=width_for(names.values()),
    )
    return kind


def _words_toggle(readings: ComparedReadings, kind: AttentionKind) -> bool:
    """Whether words are compared; asked only where tokens could be, too."""
    if share_rows(readings.first.attention, readings.second.attention, kind).by == "words":
        return False
    st.session_state[WORDS_KEY] = current_settings().words
    return st.toggle(
        _("By words"),
        key=WORDS_KEY,
        on_change=lambda: choose("words", st.session_state[WORDS_KEY]),
        help=_("Pieces of a word are summed as columns and averaged as rows."),
    )


def _pair(left: tuple[int, ...], right: tuple[int, ...]) -> Heads:
    """The pair that the reader wants, as far as the server knows."""
    wanted: Heads | None = st.session_state.get(PAIR)
    if wanted is None:
        return shown_heads(left, right)
    first, second = (
        (min(layer, shape[0] - 1), min(head, shape[1] - 1))
        for (layer, head), shape in zip(wanted, (left, right), strict=True)
    )
    return first, second


def _remember() -> None:
    st.session_state[PAIR] = wanted_pair(KEY) or st.session_state.get(PAIR)
