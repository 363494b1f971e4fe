"""The model goes on by itself: several texts at once, drawn by the rule of the sliders."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.i18n import _
from app.parts.card_heading import card_heading
from app.parts.fields import seed_field
from app.parts.notices import notices
from app.sections.next_word.board import Rule, show_text
from app.sections.next_word.reading import read_position
from app.state import current_settings
from core.decoding import Sampling
from core.engine import call
from core.tasks import continue_text

PIECES, SAMPLES = 24, 3


@dataclass(frozen=True)
class Written:
    """Texts that the model has written.

    Attributes:
        prompt: what they go on from.
        texts: all of them, prompt and what follows.
    """

    prompt: str
    texts: tuple[str, ...]


@st.fragment
def draw_written(checkpoint: str, text: str) -> None:
    """Draw what the model writes; another seed runs only this part.

    Args:
        checkpoint: name of the model.
        text: what stands in the field.
    """
    with st.container(key="card-next-written", border=True, gap="xsmall"), notices():
        title, hint = _("Written on"), _("{count} pieces each, by the rule of the sliders")
        card_heading(title, hint.format(count=PIECES))
        rule = Rule.read(current_settings().written)
        if rule is None:
            st.caption(_("Press “Write on”: the model goes on from the place above by itself."))
            return
        with st.container(
            horizontal=True, vertical_alignment="bottom", gap="small", key="written-rule"
        ):
            seed_field(width=128)
            st.caption(_said(rule), width="content")
            status = st.empty()
        written = _write(checkpoint, text, rule, status)
        st.html(_list_of(written))
        with st.container(horizontal=True, gap="small"):
            for number, one in enumerate(written.texts, start=1):
                st.button(
                    _("Take {number}").format(number=number),
                    key=f"take-{number}",
                    type="tertiary",
                    on_click=_take,
                    args=(one,),
                )


def _write(checkpoint: str, text: str, rule: Rule, status: DeltaGenerator) -> Written:
    reading = read_position(checkpoint, text, status)
    question = call(
        continue_text,
        checkpoint,
        reading.prompt,
        most=PIECES,
        samples=SAMPLES,
        sampling=Sampling(rule.temperature / 100, rule.top_k or None, rule.top_p / 1000),
        seed=current_settings().seed,
    )
    return Written(reading.prompt, ask(question, status).texts)


def _take(text: str) -> None:
    show_text(text)


def _said(rule: Rule) -> str:
    parts = [
        _("temperature {value}").format(value=f"{rule.temperature / 100:.2f}"),
        _("top-k {value}").format(value=rule.top_k or _("all")),
        _("top-p {value}").format(value=f"{rule.top_p / 1000:.2f}"),
    ]
    if rule.temperature == 0 or rule.top_k == 1:
        parts.append(_("nothing is left to chance, so one text"))
    return " · ".join(parts)


def _list_of(written: Written) -> str:
    """The texts, what is new set apart. HTML."""
    items = "".join(
        f'<li dir="auto"><span class="prompt">{escape(written.prompt)}</span>'
        f"<b>{escape(one.removeprefix(written.prompt))}</b></li>"
        for one in written.texts
    )
    return f'<ol class="written">{items}</ol>'
