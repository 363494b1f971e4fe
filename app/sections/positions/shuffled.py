"""The reader's sentence with its words shuffled, read with and without positions."""

from __future__ import annotations

from html import escape
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.i18n import _
from app.parts.card_heading import card_heading
from app.parts.fields import seed_field
from app.parts.frame import pixels
from app.parts.model_picker import ChosenModel
from app.parts.notices import notices
from app.parts.sentence_box import (
    READ_ALONE,
    Example,
    draw_facts,
    examples,
    facts_of,
    offer_default_model,
    sentence_field,
    sentence_row,
)
from app.parts.table_card import Cell, table_card
from app.settings import Settings
from app.state import choose, current_settings, numbers_of, open_page
from app.theme import difference, percent
from core.engine import call
from core.tasks import attend
from core.tasks.fill_mask import Prediction
from core.tasks.shuffle_words import ShuffledWords, shuffle_words
from core.tokenisation import Encoding, readable

PAGES = Path(__file__).resolve().parents[3] / "pages"
HIDDEN = "hidden-word"
# Without positions, a cosine of float32 numbers is off by rounding alone.
LEAST_TURN = 1e-4
EXAMPLES = (
    Example(Settings.text),
    Example("She is eating a green apple."),
    Example("i have a funny story about dinosours"),
    Example("my dog is hairy"),
    Example("The FBI is chasing a criminal on the run ."),
    Example("I am a boy"),
)


def draw_shuffled(model: ChosenModel) -> None:
    """Draw the sentence with its field, and what the shuffle changes."""
    with st.container(key="card-shuffled", border=True, gap="small"):
        title, hint = _("Shuffle the words"), _("and read them with positions and without")
        card_heading(title, hint)
        with sentence_row():
            text = sentence_field()
            examples(EXAMPLES)
            facts = st.container(key="facts", width="content")
            status = st.container(key="sentence-status").empty()
        with notices(way_out=offer_default_model):
            typed = ask(call(attend, model.name, text), status)
            draw_facts(facts, facts_of(typed, model.title), typed.encoding)
            with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
                hidden = _draw_hidden(typed.encoding)
                seed_field(_("Shuffle again"), key="shuffle-again", width=128)
                room = st.container(width="content")
            found = _shuffled(model.name, text, hidden, status)
            with room:
                _draw_attention_link(found)
            _draw_change(found, model.title)


def _shuffled(
    name: str, text: str, hidden: tuple[int, ...], status: DeltaGenerator
) -> ShuffledWords:
    seed = current_settings().seed
    return ask(call(shuffle_words, name, text, mask_words=hidden, seed=seed), status)


def _draw_hidden(encoding: Encoding) -> tuple[int, ...]:
    """Draw the list of words; return the one that is hidden, if the text has no mask of its own."""
    spellings = encoding.spellings
    there = [one for one in numbers_of(current_settings().hide) if one < len(spellings)]
    # The address decides, also after a step back and in a scene.
    st.session_state[HIDDEN] = there[0] if there else encoding.last_word()
    chosen = st.selectbox(
        _("Hidden word"),
        range(len(spellings)),
        format_func=lambda at: f"{spellings[at]} ({at + 1})",
        key=HIDDEN,
        on_change=lambda: choose("hide", str(st.session_state[HIDDEN])),
        width=pixels(192),
    )
    return (chosen,)


def _draw_attention_link(found: ShuffledWords) -> None:
    label = _("Attention on the shuffled words")
    if st.button(f":primary[{label}]", key="shuffled-attention", type="tertiary"):
        spellings = found.encoding.spellings
        open_page(
            PAGES / "attention.py",
            {"text": " ".join(spellings[word] for word in found.order)},
            places={"view": "grid"},
            forgotten=READ_ALONE,  # their numbers mean others in another order
        )


def _draw_change(found: ShuffledWords, title: str) -> None:
    st.html(strip_of(found))
    largest = difference(found.without_positions.largest)
    st.caption(
        _(
            "Without positions, sorted back into their old order, no number of the last layer"
            " differs by more than {size}: the output of {model} is a permutation of itself, up"
            " to rounding. Then a sentence is a bag of words."
        ).format(size=largest, model=title)
    )
    left, right = st.columns([3, 2], gap="small")
    with left:
        _draw_guesses(found)
    with right:
        _draw_sizes(found)


def strip_of(found: ShuffledWords) -> str:
    """Every token in its new place, with two bars: how far its last vector has turned. HTML."""
    with_them, without = found.with_positions.turned, found.without_positions.turned
    most = max(float(with_them.max()), LEAST_TURN)
    slots = []
    for position, source in enumerate(found.sources):
        piece = escape(found.shuffled.pieces[position])
        bars = "".join(
            f'<i class="{kind}"><b style="width:{100 * min(float(turned[source]) / most, 1):.1f}%">'
            f"</b></i><span>{_turn(float(turned[source]))}</span>"
            for kind, turned in (("with", with_them), ("without", without))
        )
        kind = " masked" if source == found.masked else ""
        slots.append(f'<div role="listitem" class="slot{kind}"><bdi>{piece}</bdi>{bars}</div>')
    label = _("The shuffled tokens; how far the last vector of each has turned by it")
    keys = (("with", _("with positions")), ("without", _("without")))
    legend = "".join(
        f'<span class="key {kind}"><i></i>{escape(name)}</span>' for kind, name in keys
    )
    about = escape(
        _("1 − cosine between a token’s last vectors in the two orders; bars up to {most}").format(
            most=f"{most:.2f}"
        )
    )
    return (
        f'<p class="shuffle-legend">{legend} <span>{about}</span></p>'
        f'<div role="list" class="shuffle-strip" aria-label="{escape(label)}" tabindex="0">'
        f"{''.join(slots)}</div>"
    )


def _turn(value: float) -> str:
    return f"{value:.2f}" if value >= LEAST_TURN else "0"


def _draw_guesses(found: ShuffledWords) -> None:
    def said(guesses: tuple[Prediction, ...]) -> Cell:
        words = [
            f"{readable(one.token, byte_level=found.byte_level)} {percent(one.probability)}"
            for one in guesses
        ]
        return Cell(" · ".join(words))

    rows = [
        [Cell(name), said(moved.before), said(moved.after)]
        for name, moved in (
            (_("with positions"), found.with_positions),
            (_("without"), found.without_positions),
        )
    ]
    table_card(
        _("What could stand in the hidden place"),
        _("the three likeliest"),
        [Cell(""), Cell(_("as typed")), Cell(_("shuffled"))],
        rows,
    )


def _draw_sizes(found: ShuffledWords) -> None:
    pair = (found.with_positions, found.without_positions)
    lines = (
        (_("largest change of an output"), [difference(one.largest) for one in pair]),
        (_("attention that moved"), [_share(one.attention) for one in pair]),
        (_("guess that moved"), [_share(one.guesses) for one in pair]),
    )
    table_card(
        _("What the shuffle changed"),
        _("sorted back"),
        [Cell(""), Cell(_("with positions"), number=True), Cell(_("without"), number=True)],
        [[Cell(name), *(Cell(value, number=True) for value in values)] for name, values in lines],
    )


def _share(value: float) -> str:
    return percent(value) if value > LEAST_TURN else percent(0.0)
