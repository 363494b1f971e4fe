"""The field for a sentence, one for a second sentence, examples, and what was made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.i18n import _, ngettext
from app.models import title_of
from app.settings import Settings
from app.state import binding, current_settings, forget
from app.theme import milliseconds
from core.checkpoints import CheckpointError
from core.errors import HeadlightError
from core.tasks import AttendResult, FillMaskResult
from core.tokenisation import Encoding

MOST_SPECIALS = 4  # that are named
CHOSEN_WORD = 7  # of the first sentence: "it"
# What a text made sense of: numbers of words and of masks mean nothing in another one.
OF_ONE_TEXT = ("hide", "mask", "choice", "edit", "place", "written", "changed", "followed")
# The same, and what else a model may read beside a text that it has read alone.
READ_ALONE = (*OF_ONE_TEXT, "pair", "target", "permuted")


@dataclass(frozen=True)
class Example:
    """A sentence, or a pair of sentences, one click away."""

    text: str
    pair: str = ""

    @property
    def label(self) -> str:
        """As it stands on its button."""
        return f"{self.text} / {self.pair}" if self.pair else self.text


def first_token(encoding: Encoding) -> int:
    """Where the lines start until the reader chooses: in a text of their own, at its first word."""
    word = CHOSEN_WORD if encoding.texts[0] == Settings.text else 0
    tokens = encoding.tokens_of(word)
    return tokens[-1] if tokens else 0


def sentence_row() -> DeltaGenerator:
    """The row in which the fields stand."""
    return st.container(horizontal=True, vertical_alignment="center", gap="small", key="sentence")


def sentence_field() -> str:
    """Draw the field for the sentence; return what stands in it."""
    text = st.text_input(
        _("Sentence"),
        value=Settings.text,
        key="text",
        bind=binding("text"),
        label_visibility="collapsed",
        placeholder=_("Type a sentence"),
        on_change=forget_words,
        width="stretch",
    )
    return text or ""


def pair_field(*, readable: bool = True) -> str | None:
    """Draw the field for a second sentence; return it, or None where there is none.

    Args:
        readable: whether the model reads two; else the field is empty and says so.
    """
    pair = st.text_input(
        _("Second sentence"),
        value=Settings.pair,
        key="pair",
        bind=binding("pair"),
        label_visibility="collapsed",
        placeholder=_("Second sentence (optional)") if readable else _("This model reads one text"),
        disabled=not readable,
        on_change=forget_words,
        width="stretch",
    )
    return pair if readable and pair and pair.strip() else None


def examples(
    lines: Sequence[Example], *, with_pair: bool = False, empties: Sequence[str] = ()
) -> None:
    """Draw the button that opens the examples.

    Args:
        lines: what can be chosen.
        with_pair: whether the page has the second field, which an example fills or empties too.
        empties: settings of further text fields that belong to the text that was there before.
    """
    with st.popover(_("Examples"), width="content"), st.container(gap=None):
        for number, example in enumerate(lines):
            st.button(
                example.label,
                key=f"example-{number}",
                type="tertiary",
                on_click=_take,
                args=(example, with_pair, empties),
            )


def sentence_with_examples(
    lines: Sequence[Example],
) -> tuple[str, DeltaGenerator, DeltaGenerator]:
    """Draw the text field with its examples; return the text and two places to its right.

    The first place is for facts about the result, the second for words about a wait.
    """
    with sentence_row():
        text = sentence_field()
        examples(lines)
        facts = st.container(key="facts", width="content")
        status = st.container(key="sentence-status").empty()
    return text, facts, status


def forget_words() -> None:
    """Forget the words that were chosen in the text that stood there before."""
    for name in OF_ONE_TEXT:
        forget(name)


def offer_default_model(error: HeadlightError, default: str = Settings.model) -> None:
    """Below what is wrong with another model: a button back to the one that is always there.

    Args:
        error: what is wrong.
        default: the model that the page shows first.
    """
    if isinstance(error, CheckpointError) and current_settings().model != Settings.model:
        st.button(
            _("Open {model} instead").format(model=title_of(default)),
            key="default-model",
            on_click=forget,
            args=("model",),
        )


def facts_of(result: AttendResult | FillMaskResult, title: str) -> tuple[str, str]:
    """Which model ran and how large it is; how many tokens it read and how long it took. HTML."""
    assert result.patterns is not None  # it was asked for
    layers, heads, tokens, _keys = result.patterns.shape
    size = _("{layers} layers × {heads} heads").format(layers=layers, heads=heads)
    count = ngettext("{count} token", "{count} tokens", tokens).format(count=tokens)
    speed = _("{time} on {device}").format(
        time=milliseconds(result.seconds), device=result.device.partition(":")[0].upper()
    )
    return f"<b>{escape(title)}</b> · {escape(size)}", f"{escape(count)} · {escape(speed)}"


def _plain_specials(encodings: Iterable[Encoding]) -> list[str]:
    """Which special tokens of the vocabulary were read as plain text, an HTML text if any."""
    found = dict.fromkeys(one for encoding in encodings for one in encoding.plain_specials)
    if not found:
        return []
    said = ngettext(
        "{tokens} is read as plain text, not as a special token",
        "{tokens} are read as plain text, not as special tokens",
        len(found),
    )
    named = [*found][:MOST_SPECIALS] + ["…"] * (len(found) > MOST_SPECIALS)
    return [f'<span class="plain-specials">{escape(said.format(tokens=", ".join(named)))}</span>']


def draw_facts(place: DeltaGenerator, facts: Iterable[str], *read: Encoding) -> None:
    """Draw facts in a row, each an HTML text of its own.

    Args:
        place: where.
        facts: the texts.
        read: texts as they were read; special tokens in them that were not read as such are named.
    """
    all_facts = [*facts, *_plain_specials(read)]
    place.html("".join(f'<span class="fact">{fact}</span>' for fact in all_facts), width="content")


def _take(example: Example, with_pair: bool, empties: Sequence[str]) -> None:
    st.session_state["text"] = example.text
    if with_pair:
        st.session_state["pair"] = example.pair
    st.session_state.update(dict.fromkeys(empties, ""))
    forget_words()
