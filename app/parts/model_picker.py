"""The choice of the model that a page shows, among those that fit the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import streamlit as st

from app.i18n import N_, _
from app.models import entry_of, keep, models
from app.parts.notices import without_markup
from app.settings import Settings
from app.state import choose, current_settings, forget
from core.checkpoints import BundledCheckpoint, bundled_checkpoint
from core.config import Head
from core.models.registry import SYSTEMS

KEY = "model-picker"
# Of a list in 16-pixel type: arrow and padding, a letter of a name, and the bounds of the whole.
LIST_PIXELS, LETTER_PIXELS = 56, 7.5
LEAST_PIXELS, MOST_PIXELS = 192, 352
PRESENTER_TYPE = 1.25  # as large as ordinary type, as present.css says
# Masks and candidates are numbered by the pieces of a vocabulary; words are the reader's own.
OF_ONE_MODEL = ("mask", "choice", "followed", "place")


@dataclass(frozen=True)
class ModelFilter:
    """Which models a page is for.

    Args:
        fits: whether it can show one.
        otherwise: what is said of one that does not, marked with `N_`.
        default: name of the model that is shown until the reader chooses one.
    """

    fits: Callable[[BundledCheckpoint], bool]
    otherwise: str
    default: str = Settings.model

    def default_model(self) -> ChosenModel:
        """The model that is shown first; where it has not come along, the first one that fits."""
        entry = entry_of(self.default) or next(filter(self.fits, models()), None)
        return ChosenModel(entry.name if entry else self.default, entry)


ONE_TEXT = ModelFilter(
    lambda one: not SYSTEMS[one.system].text_to_text,
    N_(
        "{model} reads one text and writes another, and this page is for models that read one."
        " You see {default} instead."
    ),
)
WITH_HEADS = ModelFilter(
    lambda one: not SYSTEMS[one.system].recurrent,
    N_(
        "{model} is a recurrent model: its one alignment is drawn on its own page, and it has no"
        " attention heads. You see {default} instead."
    ),
)
ANY = ModelFilter(lambda _one: True, "")
HIDDEN_WORDS = ModelFilter(
    lambda one: Head.MASKED_LANGUAGE in one.heads,
    N_("{model} has no head for masked words. You see {default} instead."),
)
TRANSLATING = ModelFilter(
    lambda one: one.system == "transformer" and Head.LANGUAGE in one.heads,
    N_("{model} is no Transformer that translates. You see {default} instead."),
    default="transformer",
)
ALIGNING = ModelFilter(
    lambda one: one.system == "seq2seq" and Head.LANGUAGE in one.heads,
    N_("{model} is no recurrent translator. You see {default} instead."),
    default="seq2seq",
)
NEXT_WORDS = ModelFilter(
    lambda one: SYSTEMS[one.system].causal and Head.LANGUAGE in one.heads,
    N_("{model} does not go on with a text word by word. You see {default} instead."),
    default="gpt",
)
REPLACED_TOKENS = ModelFilter(
    lambda one: Head.REPLACED_TOKEN in one.heads,
    N_("{model} has no head that tells replaced tokens. You see {default} instead."),
    default="electra",
)
BLANKS = ModelFilter(
    lambda one: one.system == "t5" and Head.LANGUAGE in one.heads,
    N_("{model} was not trained to fill blanks of several words. You see {default} instead."),
    default="t5",
)


@dataclass(frozen=True)
class ChosenModel:
    """What a page shows.

    Args:
        name: as `core` loads it.
        entry: what is known of it; None of one that cannot be opened, as the page will find.
    """

    name: str
    entry: BundledCheckpoint | None

    @property
    def title(self) -> str:
        """What people call it."""
        return self.entry.title if self.entry else self.name

    @property
    def guesses_hidden_words(self) -> bool:
        """Whether it was trained to."""
        return self.entry is None or HIDDEN_WORDS.fits(self.entry)

    @property
    def reads_pairs(self) -> bool:
        """Whether it has a sign between two texts."""
        return self.entry is None or not SYSTEMS[self.entry.system].causal

    @property
    def writes(self) -> bool:
        """Whether a decoder reads a text of its own beside the one that is given."""
        return self.entry is not None and SYSTEMS[self.entry.system].text_to_text

    @property
    def reads_in_any_order(self) -> bool:
        """Whether it was trained to read the tokens of a text in any order."""
        return self.entry is not None and SYSTEMS[self.entry.system].permuting


def model_picker(allowed: ModelFilter) -> ChosenModel:
    """Draw the list of the models that fit; return the one that is chosen.

    Where a link names a model that does not fit, the default is shown, and `model_notice` says so.
    """
    chosen = _chosen(allowed)
    entries = {one.name: one for one in models() if allowed.fits(one)}
    names = [*entries, *([chosen.name] if chosen.name not in entries else [])]
    labels = {name: label_of(entries[name]) if name in entries else name for name in names}
    # The address decides, also after a step back and in a scene.
    st.session_state[KEY] = chosen.name
    st.selectbox(
        _("Model"),
        names,
        format_func=labels.__getitem__,
        key=KEY,
        label_visibility="collapsed",
        on_change=_take,
        width=width_for(labels.values()),
    )
    return chosen


def model_notice(allowed: ModelFilter) -> None:
    """Say why another model is shown than the one that a link names, where that is so."""
    asked = current_settings().model
    entry = entry_of(asked)
    # Nobody has asked for the model that every page would show.
    if entry is not None and not allowed.fits(entry) and asked != Settings.model:
        default = allowed.default_model()
        said = _(allowed.otherwise).format(model=entry.title, default=default.title)
        st.info(without_markup(said))


def width_for(labels: Iterable[str]) -> int:
    """Width in CSS pixels of a list whose chosen label is not cut, within the row of a title."""
    longest = max(map(len, labels), default=0)
    needed = LIST_PIXELS + LETTER_PIXELS * longest
    largest = PRESENTER_TYPE if current_settings().present else 1
    return round(largest * min(max(needed, LEAST_PIXELS), MOST_PIXELS))


def label_of(entry: BundledCheckpoint) -> str:
    """Title, system where that is not the title, and size."""
    system = SYSTEMS[entry.system].title
    size = _("{count} MB").format(count=max(1, round(entry.size_bytes / 1e6)))
    named = [entry.title] if system.casefold() in entry.title.casefold() else [entry.title, system]
    return " · ".join([*named, size])


def _chosen(allowed: ModelFilter) -> ChosenModel:
    asked = current_settings().model
    entry = entry_of(asked)
    if entry is not None and not allowed.fits(entry):
        return allowed.default_model()
    if entry is not None and bundled_checkpoint(asked) is None:
        keep(asked)  # it stays in the list when another one is chosen
    return ChosenModel(asked, entry)


def _take() -> None:
    choose("model", st.session_state[KEY])
    for name in OF_ONE_MODEL:
        forget(name)
