"""The top of the page: which tool draws, one sentence or two, and what was made of them."""

from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.components.model_picker import ONE_TEXT, ChosenModel, model_notice, model_picker
from app.components.sentence_box import (
    Example,
    draw_facts,
    examples,
    facts_of,
    pair_field,
    sentence_field,
    sentence_row,
)
from app.i18n import N_, _
from app.settings import Settings
from app.state import choose, current_settings
from core.tasks import AttendResult

TOOLS = {"": N_("Headlight"), "heads": N_("BertViz heads"), "model": N_("BertViz model")}
TOOL_KEY = "attention-tool"

# The lectures' demo lines, pairs included.
EXAMPLES = (
    Example(Settings.text),
    Example("my dog is cute", "he likes playing"),
    Example("She is eating a green apple."),
    Example("The FBI is chasing a criminal on the run ."),
    Example("i have a funny story about dinosours"),
    Example("Thank you for inviting me to your party last week ."),
)


def draw_title_row() -> tuple[str, ChosenModel]:
    """Draw the title, the choice of the model and of what draws the heads; return both."""
    tool = current_settings().tool
    # The address decides, also after a step back and in a scene.
    st.session_state[TOOL_KEY] = tool if tool in TOOLS else ""
    row = st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="attention-title"
    )
    with row:
        st.title(_("Attention heads"), anchor=False, width="stretch")
        model = model_picker(ONE_TEXT)
        chosen = st.segmented_control(
            _("Drawn by"),
            list(TOOLS),
            format_func=lambda name: _(TOOLS[name]),
            key=TOOL_KEY,
            required=True,
            label_visibility="collapsed",
            on_change=lambda: choose("tool", st.session_state[TOOL_KEY]),
        )
    model_notice(ONE_TEXT)
    return chosen or "", model


def draw_sentence_row(*, pairs: bool) -> tuple[str, str | None, DeltaGenerator, DeltaGenerator]:
    """Draw the fields with their examples; return both texts and two places below.

    The first place is for facts about the result, the second for words about a wait.

    Args:
        pairs: whether the model reads two sentences.
    """
    with sentence_row():
        text = sentence_field()
        pair = pair_field(readable=pairs)
        examples(EXAMPLES, with_pair=True)
        status = st.container(key="sentence-status").empty()
    facts = st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="attention-facts"
    )
    return text, pair, facts, status


def draw_attention_facts(place: DeltaGenerator, result: AttendResult, title: str) -> None:
    """Say which model ran, on what, and who may see whom in it."""
    kinds = {
        "encoder": _("encoder: every token sees every token; no padding"),
        "decoder": _("decoder: a token sees itself and those before it; no padding"),
        "content": _("content stream: every token sees every token; no padding"),
    }
    draw_facts(place, [*facts_of(result, title), escape(kinds[result.maps[0].name])])
