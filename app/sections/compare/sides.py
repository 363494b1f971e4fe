"""What is compared: two models, two texts, or a model with and without some of its heads."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.i18n import N_, _, ngettext
from app.models import entry_of, models
from app.parts.head_switches import head_switches
from app.parts.model_picker import (
    ONE_TEXT,
    ChosenModel,
    ModelFilter,
    label_of,
    model_notice,
    model_picker,
    width_for,
)
from app.parts.sentence_box import (
    Example,
    examples,
    forget_words,
    sentence_field,
    sentence_row,
)
from app.sections.translate.sentence import language_choice
from app.settings import Settings
from app.state import binding, choose, current_settings, heads_of
from core.engine import Call, call
from core.tasks.read_side import SideReading, read_side
from core.tasks.watch_translation import languages

CONTRASTS = {
    "models": N_("Two models"),
    "texts": N_("Two texts"),
    "heads": N_("Without heads"),
}
CONTRAST_KEY, OTHER_MODEL_KEY, SWITCHES = "contrast-choice", "other-model", "compare-switches"
ANY = ModelFilter(lambda _one: True, "")

EXAMPLES = (
    Example(Settings.text),
    Example("She is eating a green apple."),
    Example("The FBI is chasing a criminal on the run ."),
    Example("my dog is hairy"),
    Example("i have a funny story about dinosours"),
    Example("Thank you for inviting me to your party last week ."),
)
PAIRS = (
    (Settings.text, Settings.other_text),
    ("The doctor said that he would come.", "The nurse said that he would come."),
    ("i have a funny story about dinosours", "i have a funny story about dinosaurs"),
    ("the company opened its new office", "the company opened it's new office"),
    ("The man went to the store.", "The man went to the Store."),
)


@dataclass(frozen=True)
class Sides:
    """Both sides.

    Attributes:
        contrast: what differs, one of `CONTRASTS`.
        left, right: what is read, no word hidden.
        models: which model reads it.
        titles: what the sides are called.
    """

    contrast: str
    left: Call[SideReading]
    right: Call[SideReading]
    models: tuple[ChosenModel, ChosenModel]
    titles: tuple[str, str]

    @property
    def guesses_hidden_words(self) -> bool:
        """Whether both models were trained to."""
        return all(one.guesses_hidden_words for one in self.models)

    @property
    def without_heads(self) -> bool:
        """Whether the second side may lack heads."""
        return self.contrast == "heads"

    def named(self, side: Call[SideReading], title: str) -> Sides:
        """With another second side."""
        return replace(self, right=side, titles=(self.titles[0], title))


@dataclass(frozen=True)
class Places:
    """Where what is known later is drawn.

    Attributes:
        choices: the heads that are off, or the language that is written.
        facts: what ran.
        status: words about a wait.
    """

    choices: DeltaGenerator
    facts: DeltaGenerator
    status: DeltaGenerator


def draw_choice() -> tuple[Sides | None, Places]:
    """Draw the title, the models and the texts; None where there is no second model."""
    settings = current_settings()
    contrast = settings.contrast if settings.contrast in CONTRASTS else Settings.contrast
    kind = ONE_TEXT if contrast == "heads" else ANY
    # The address decides, also after a step back and in a scene.
    st.session_state[CONTRAST_KEY] = contrast
    with st.container(horizontal=True, vertical_alignment="center", key="page-title"):
        st.title(_("Compare"), anchor=False, width="stretch")
        st.segmented_control(
            _("What is compared"),
            list(CONTRASTS),
            format_func=lambda name: _(CONTRASTS[name]),
            key=CONTRAST_KEY,
            required=True,
            label_visibility="collapsed",
            on_change=lambda: choose("contrast", st.session_state[CONTRAST_KEY]),
        )
        left = model_picker(kind)
        right = _other_model_picker(left) if contrast == "models" else left
    model_notice(kind)
    text, other, places = _draw_texts(contrast)
    if right is None:
        st.info(
            _("No second model has come yet. Compare two texts, or a model without some heads.")
        )
        return None, places
    first = call(read_side, left.name, text)
    second = call(read_side, right.name, other)
    titles = {
        "models": (left.title, right.title),
        "texts": (_("First text"), _("Second text")),
        "heads": (_("Every head"), _("Every head")),
    }
    return Sides(contrast, first, second, (left, right), titles[contrast]), places


def _draw_texts(contrast: str) -> tuple[str, str, Places]:
    with sentence_row():
        text = other = sentence_field()
        if contrast == "texts":
            other = _other_field()
            _pairs()
        else:
            examples(EXAMPLES)
        choices = st.container(width="content")
        status = st.container(key="sentence-status").empty()
    facts = st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="compare-facts"
    )
    return text, other, Places(choices, facts, status)


def _other_field() -> str:
    text = st.text_input(
        _("Second text"),
        value=Settings.other_text,
        key="other_text",
        bind=binding("other_text"),
        label_visibility="collapsed",
        placeholder=_("The same with a word changed"),
        on_change=forget_words,
        width="stretch",
    )
    return text or ""


def _pairs() -> None:
    with st.popover(_("Examples"), width="content"), st.container(gap=None):
        for number, (text, other) in enumerate(PAIRS):
            label = f"{text} / {other}"
            st.button(
                label,
                key=f"pair-{number}",
                type="tertiary",
                on_click=take_texts,
                args=(text, other),
            )


def take_texts(text: str, other: str) -> None:
    """Put two texts into the fields; for a callback."""
    st.session_state["text"], st.session_state["other_text"] = text, other
    forget_words()


def _other_model_picker(left: ChosenModel) -> ChosenModel | None:
    """Draw the list of models for the second side; None where there is no other one."""
    entries = {one.name: one for one in models()}
    asked = current_settings().other_model
    others = [name for name in entries if name != left.name]
    chosen = asked or next(iter(others), "")
    if not chosen:
        return None
    names = [*entries, *([chosen] if chosen not in entries else [])]
    labels = {name: label_of(entries[name]) if name in entries else name for name in names}
    st.session_state[OTHER_MODEL_KEY] = chosen
    st.selectbox(
        _("Second model"),
        names,
        format_func=labels.__getitem__,
        key=OTHER_MODEL_KEY,
        label_visibility="collapsed",
        on_change=lambda: choose("other_model", st.session_state[OTHER_MODEL_KEY]),
        width=width_for(labels.values()),
    )
    return ChosenModel(chosen, entry_of(chosen))


def draw_language(sides: Sides, places: Places) -> Sides:
    """Draw the languages that a side has a token for; return the sides with the one chosen."""
    there = [
        ask(call(languages, one.name), places.status) if one.writes else () for one in sides.models
    ]
    offered = there[0] or there[1]
    if not offered:
        return sides
    with places.choices:
        chosen = language_choice(offered)
    left, right = (
        side.changed(language=chosen if chosen in known else next(iter(known), None))
        for side, known in zip((sides.left, sides.right), there, strict=True)
    )
    return replace(sides, left=left, right=right)


def draw_heads(sides: Sides, places: Places) -> Sides:
    """Draw the switches of the heads; return the sides, the second one without those off."""
    whole = ask(sides.left, places.status)
    layers, heads = whole.attention.patterns.shape[:2]
    pairs = {(la, he) for la, he in heads_of(current_settings().off) if la < layers and he < heads}
    off = tuple(sorted(pairs))
    count = ngettext("{count} head off", "{count} heads off", len(off)).format(count=len(off))
    label = count if off else _("Choose heads")
    with places.choices, st.popover(label, width="content", key="heads-off"):
        head_switches(whole.attention.patterns, off, key=SWITCHES)
    if not off:
        return sides
    without = ngettext("Without {count} head", "Without {count} heads", len(off))
    return sides.named(sides.right.changed(off=off), without.format(count=len(off)))


def say_same(sides: Sides) -> None:
    """Say so where both sides are the same and the picture would be empty."""
    if sides.left == sides.right:
        said = {
            "heads": _("No head is off yet, so both sides are the same: choose heads above."),
            "texts": _("Both texts are the same: change a word of the second one."),
            "models": _("Both models are the same: choose another one."),
        }
        st.caption(said[sides.contrast])
