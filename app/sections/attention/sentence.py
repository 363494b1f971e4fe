"""The top of the page: which tool draws, one sentence or two, and what was made of them."""

from dataclasses import dataclass
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.i18n import N_, _, ngettext
from app.parts.model_picker import (
    BLANKS,
    WITH_HEADS,
    ChosenModel,
    model_notice,
    model_picker,
)
from app.parts.sentence_box import (
    Example,
    draw_facts,
    examples,
    facts_of,
    pair_field,
    sentence_field,
    sentence_row,
)
from app.sections.translate.sentence import draw_language
from app.settings import Settings
from app.state import binding, choose, current_settings
from app.theme import milliseconds
from core.engine import Call, call
from core.tasks import AttendResult, attend

TOOLS = {"": N_("Headlight"), "heads": N_("BertViz heads"), "model": N_("BertViz model")}
TOOL_KEY = "attention-tool"
ORDER_KEY = "attention-order"

# The lectures' demo lines, pairs included.
EXAMPLES = (
    Example(Settings.text),
    Example("my dog is cute", "he likes playing"),
    Example("She is eating a green apple."),
    Example("The FBI is chasing a criminal on the run ."),
    Example("i have a funny story about dinosours"),
    Example("Thank you for inviting me to your party last week ."),
)

WRITING_EXAMPLES = (
    Example(Settings.text),
    Example("I am a boy"),
    Example("She is eating a green apple."),
    Example("I don't know where she lives."),
    Example("The cat sleeps because it is tired."),
)
BLANK_EXAMPLES = (
    Example(Settings.blanks),
    Example("I love peanut butter and ___4___ sandwiches."),
    Example("Thank you ___ me to your party ___ week ."),
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
        model = model_picker(WITH_HEADS)
        chosen = st.segmented_control(
            _("Drawn by"),
            list(TOOLS),
            format_func=lambda name: _(TOOLS[name]),
            key=TOOL_KEY,
            required=True,
            label_visibility="collapsed",
            on_change=lambda: choose("tool", st.session_state[TOOL_KEY]),
        )
    model_notice(WITH_HEADS)
    return chosen or "", model


@dataclass(frozen=True)
class Given:
    """What stands in the fields.

    Args:
        text: the sentence.
        pair: a second one; None where there is none.
        target: what a decoder reads; None where the model writes it itself.
        choices: the place beside the fields for what depends on the opened model.
    """

    text: str
    pair: str | None
    target: str | None
    choices: DeltaGenerator


def draw_sentence_row(model: ChosenModel) -> tuple[Given, DeltaGenerator, DeltaGenerator]:
    """Draw the fields with their examples; return what they hold and two places below.

    The first place is for facts about the result, the second for words about a wait.
    """
    pair = target = None
    with sentence_row():
        text = sentence_field()
        if model.writes:
            target = _target_field()
            fills = model.entry is not None and BLANKS.fits(model.entry)
            examples(BLANK_EXAMPLES if fills else WRITING_EXAMPLES, empties=("target",))
        else:
            pair = pair_field(readable=model.reads_pairs)
            examples(EXAMPLES, with_pair=True)
        choices = st.container(key="attention-choices", width="content")
        status = st.container(key="sentence-status").empty()
    facts = st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="attention-facts"
    )
    return Given(text, pair, target, choices), facts, status


def question_of(model: ChosenModel, given: Given, status: DeltaGenerator) -> Call[AttendResult]:
    """What the fields ask of the model; draws the choices that only some models have.

    Raises:
        HeadlightError: the model cannot be opened.
    """
    question = call(attend, model.name, given.text, given.pair, target=given.target)
    with given.choices:
        if model.writes:
            return question.changed(language=draw_language(model, status))
        if model.reads_in_any_order and _draw_order():
            return question.changed(order="random", seed=current_settings().seed)
    return question


def draw_attention_facts(place: DeltaGenerator, result: AttendResult, title: str) -> None:
    """Say which model ran, on what, and who may see whom in it."""
    if result.target is not None:
        draw_facts(place, text_to_text_facts(result, title), result.encoding)
        return
    kinds = {
        "encoder": _("encoder: every token sees every token; no padding"),
        "decoder": _("decoder: a token sees itself and those before it; no padding"),
        "content": _("content stream: every token sees every token; no padding"),
    }
    kind, seen = kinds[result.maps[0].name], result.maps[0].seen
    if seen < len(result.encoding):
        kind = _("decoder: a token sees itself and up to {count} before it; no padding").format(
            count=seen - 1
        )
    if result.order is not None:
        kind = _("two streams: tokens see those before them in a random order; no padding")
    draw_facts(place, [*facts_of(result, title), escape(kind)], result.encoding)


def text_to_text_facts(result: AttendResult, title: str) -> list[str]:
    """Which model ran and how large both sides are, what they read, how long it took. HTML."""
    size = _("{encoder} + {decoder} layers × {heads} heads").format(
        encoder=len(result["encoder"].patterns),
        decoder=len(result["decoder"].patterns),
        heads=result["cross"].patterns.shape[1],
    )
    queries, keys = result["cross"].patterns.shape[2:]
    read = ngettext("{count} token read", "{count} tokens read", keys).format(count=keys)
    written = ngettext("{count} in the decoder", "{count} in the decoder", queries)
    speed = _("{time} on {device}").format(
        time=milliseconds(result.seconds), device=result.device.partition(":")[0].upper()
    )
    said = [f"{read}, {written.format(count=queries)}", speed, _("three kinds; no padding")]
    return [f"<b>{escape(title)}</b> · {escape(size)}", *map(escape, said)]


def draw_target(result: AttendResult) -> None:
    """Say what the decoder has read, and who wrote it; nothing of a model without one."""
    if result.target is None:
        return
    if not result.written:
        label = _("The decoder read the target that was given:")
    elif result.ended:
        label = _("The model wrote, each time the likeliest piece:")
    else:
        label = _("The model wrote this and came to no end:")
    # Its own text leaves out sentinels; the start token is not what it says.
    read = list(zip(result.target.pieces, result.target.special, strict=True))[1:]
    joined = "".join(f" {piece} " if special else piece for piece, special in read)
    text = " ".join(joined.replace("\N{OPEN BOX}", " ").split()) or _("nothing")
    st.html(f'<p class="attention-target">{escape(label)} <b>{escape(text)}</b></p>')


def _target_field() -> str | None:
    target = st.text_input(
        _("Target"),
        value=Settings.target,
        key="target",
        bind=binding("target"),
        label_visibility="collapsed",
        placeholder=_("Target (optional): empty, the model writes it"),
        width="stretch",
    )
    return target if target and target.strip() else None


def _draw_order() -> bool:
    # The address decides, also after a step back and in a scene.
    st.session_state[ORDER_KEY] = current_settings().permuted
    return st.checkbox(
        _("In a random order"),
        key=ORDER_KEY,
        on_change=lambda: choose("permuted", st.session_state[ORDER_KEY]),
        help=_("As in its training: each token sees those before it in an order drawn by lot."),
    )
