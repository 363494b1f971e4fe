"""Errors as people read them: what happened, and what to do about it."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from app.i18n import N_, _
from core import errors

# For each kind of error: its sentence and the way out, with the error's attributes as blanks.
# An error without an entry is shown by its own English sentence.
SENTENCES: dict[type[errors.HeadlightError], tuple[str, str]] = {
    errors.SequenceTooLongError: (
        N_("The text has {tokens} tokens, but this model reads at most {limit}."),
        N_("Shorten the text."),
    ),
    errors.UnknownSystemError: (
        N_("There is no system “{name}”."),
        N_("Choose one of these: {known}."),
    ),
}


def sentence(error: errors.HeadlightError) -> str:
    """The reader's sentence for an error; the most special class with an entry decides."""
    for kind in type(error).__mro__:
        if kind in SENTENCES:
            happened, remedy = SENTENCES[kind]
            facts = {name: _in_words(fact) for name, fact in vars(error).items()}
            return f"{_(happened).format(**facts)} {_(remedy).format(**facts)}"
    happened = str(error)
    return happened[:1].upper() + happened[1:].rstrip(".") + "."


def show_error(error: errors.HeadlightError) -> None:
    """Show what went wrong in the place where the result would have stood."""
    st.error(sentence(error))


@contextmanager
def notices() -> Iterator[None]:
    """Show any error a person can cause, raised in the block, and go on after it."""
    try:
        yield
    except errors.HeadlightError as error:
        show_error(error)


def _in_words(fact: object) -> str:
    return ", ".join(map(str, fact)) if isinstance(fact, list | tuple) else str(fact)
