"""The sentence, examples for it, and what was made of it."""

from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.i18n import _, ngettext
from app.state import Settings
from app.theme import milliseconds
from core.tasks import AttendResult

# Of the lectures' demo lines those that are one sentence.
EXAMPLES = (
    Settings.text,
    "She is eating a green apple.",
    "The FBI is chasing a criminal on the run .",
    "the man went to the [MASK] to buy a [MASK] of milk",
    "i have a funny story about dinosours",
    "Thank you for inviting me to your party last week .",
)


def draw_sentence_row() -> tuple[str, DeltaGenerator, DeltaGenerator]:
    """Draw the text field with its examples; return the text and two places to its right.

    The first place is for facts about the result, the second for words about a wait.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        text = st.text_input(
            _("Sentence"),
            value=Settings.text,
            key="text",
            bind="query-params",
            label_visibility="collapsed",
            placeholder=_("Type a sentence"),
            on_change=forget_hidden_word,
            width="stretch",
        )
        with st.popover(_("Examples"), width="content"):
            for number, example in enumerate(EXAMPLES):
                st.button(
                    example,
                    key=f"example-{number}",
                    type="tertiary",
                    on_click=take_example,
                    args=(example,),
                )
        facts = st.empty()
        status = st.empty()
    return text or "", facts, status


def take_example(text: str) -> None:
    """Put an example in place of the reader's text."""
    st.session_state["text"] = text
    forget_hidden_word()


def forget_hidden_word() -> None:
    """A word's number means nothing in another text."""
    st.query_params.pop("hide", None)
    st.session_state.pop("hide", None)


def draw_facts(place: DeltaGenerator, result: AttendResult, title: str) -> None:
    """Say which model ran, how large it is, how many tokens it read and how long it took."""
    layers, heads, tokens, _keys = result.patterns.shape
    size = _("{layers} layers × {heads} heads").format(layers=layers, heads=heads)
    count = ngettext("{count} token", "{count} tokens", tokens).format(count=tokens)
    speed = _("{time} on {device}").format(
        time=milliseconds(result.seconds), device=result.device.partition(":")[0].upper()
    )
    chips = (f"<b>{escape(title)}</b> · {escape(size)}", f"{escape(count)} · {escape(speed)}")
    place.html("".join(f'<span class="fact">{chip}</span>' for chip in chips), width="content")
