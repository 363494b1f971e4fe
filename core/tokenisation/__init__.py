"""From a person's text to token ids, and back to something a person can read."""

from core.tokenisation.display import readable
from core.tokenisation.encoding import Encoding, Word
from core.tokenisation.errors import (
    EmptyTextError,
    MissingTokenError,
    TextTooLongError,
    TokenizerFileError,
)
from core.tokenisation.tokenizer import MAX_CHARACTERS, Tokenizer

__all__ = [
    "MAX_CHARACTERS",
    "EmptyTextError",
    "Encoding",
    "MissingTokenError",
    "TextTooLongError",
    "Tokenizer",
    "TokenizerFileError",
    "Word",
    "readable",
]
