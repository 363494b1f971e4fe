"""The sentence, examples for it, and what was made of it."""

from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.i18n import _, ngettext
from app.services import title_of
from app.state import Settings, binding, current_settings, forget
from app.theme import milliseconds
from core.checkpoints import CheckpointError
from core.errors import HeadlightError
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
    row = st.container(horizontal=True, vertical_alignment="center", gap="small", key="sentence")
    with row:
        text = st.text_input(
            _("Sentence"),
            value=Settings.text,
            key="text",
            bind=binding("text"),
            label_visibility="collapsed",
            placeholder=_("Type a sentence"),
            on_change=forget_hidden_word,
            width="stretch",
        )
        with st.popover(_("Examples"), width="content"), st.container(gap=None):
            for number, example in enumerate(EXAMPLES):
                st.button(
                    example,
                    key=f"example-{number}",
                    type="tertiary",
                    on_click=take_example,
                    args=(example,),
                )
        facts = st.container(key="facts", width="content")
        status = st.container(key="sentence-status").empty()
    return text or "", facts, status


def take_example(text: str) -> None:
    """Put an example in place of the reader's text."""
    st.session_state["text"] = text
    forget_hidden_word()


def forget_hidden_word() -> None:
    """A word's number means nothing in another text."""
    forget("hide")


def offer_default_model(error: HeadlightError) -> None:
    """Below what is wrong with another model: a button back to the one that is always there."""
    if isinstance(error, CheckpointError) and current_settings().model != Settings.model:
        st.button(
            _("Open {model} instead").format(model=title_of(Settings.model)),
            key="default-model",
            on_click=forget,
            args=("model",),
        )


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
