"""The tokens that say into which language a text is to be translated: ``>>de<<``.

The form is that of the OPUS-MT models of several languages (Tiedemann and Thottingal 2020,
"OPUS-MT - Building open translation services for the World").
"""

from __future__ import annotations

import re

from core.errors import ConfigError
from core.tokenisation.tokenizer import Tokenizer

_LANGUAGE = re.compile(r">>(\w+)<<")


def language_token(language: str) -> str:
    """The token of a language.

    Raises:
        ConfigError: the name has other characters than letters, digits and underscores.
    """
    token = f">>{language}<<"
    if _LANGUAGE.fullmatch(token) is None:
        raise ConfigError(f"a language has a name such as de, not {language!r}")
    return token


def languages_of(tokenizer: Tokenizer) -> dict[str, int]:
    """The languages that a vocabulary has a token for, with the ids of these."""
    return {
        found[1]: number
        for piece, number in sorted(tokenizer.inner.get_vocab().items())
        if (found := _LANGUAGE.fullmatch(piece))
    }
