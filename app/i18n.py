"""Translation of every string a reader sees.

English is the source; `assets/locale/LANGUAGE/LC_MESSAGES/headlight.mo` holds another language.
The language stands in a context variable, because the threads of different readers share the
process.
"""

import gettext
from collections.abc import Iterable
from contextvars import ContextVar
from functools import cache
from pathlib import Path

import streamlit as st

LOCALE_FOLDER = Path(__file__).resolve().parent.parent / "assets" / "locale"
DOMAIN = "headlight"
SOURCE_LANGUAGE = "en"

_language: ContextVar[str | None] = ContextVar("language", default=None)


def N_(message: str) -> str:  # noqa: N802 - gettext's own name for it
    """Mark a string for translation where it is defined; `_()` translates it where it is shown."""
    return message


def _(message: str) -> str:
    """The message in the reader's language, in English where no translation exists."""
    return _translations(current_language()).gettext(message)


def ngettext(singular: str, plural: str, count: int) -> str:
    """The form of a message that fits a count: Russian has three, Korean one."""
    return _translations(current_language()).ngettext(singular, plural, count)


def available_languages() -> tuple[str, ...]:
    """English, and every language with a compiled catalogue, in alphabetical order."""
    catalogues = LOCALE_FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.mo")
    return tuple(sorted({SOURCE_LANGUAGE, *(path.parent.parent.name for path in catalogues)}))


def choose_language(wanted: Iterable[str | None]) -> str:
    """The first wanted language that exists, by full name (`pt-BR`) or by its first part (`pt`)."""
    available = {name.lower(): name for name in available_languages()}
    for tag in wanted:
        name = (tag or "").lower().replace("_", "-")
        for candidate in (name, name.split("-")[0]):
            if candidate in available:
                return available[candidate]
    return SOURCE_LANGUAGE


def reader_language() -> str:
    """The language of this reader: `?lang=` in the address, then the browser's, then English."""
    return choose_language([st.query_params.get("lang"), st.context.locale])


def use_language(language: str) -> None:
    """Set the language of everything that runs after this in the same context."""
    _language.set(language)


def current_language() -> str:
    """The language in use; a callback or a fragment may run before anyone has set it."""
    return _language.get() or reader_language()


@cache
def _translations(language: str) -> gettext.NullTranslations:
    return gettext.translation(DOMAIN, LOCALE_FOLDER, languages=[language], fallback=True)
