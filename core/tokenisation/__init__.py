"""From a person's text to token ids, and back to something a person can read."""

from core.tokenisation.display import readable
from core.tokenisation.encoding import Encoding, Word
from core.tokenisation.errors import (
    CharacterMapError,
    DamagedPieceFileError,
    EmptyTextError,
    MissingTokenError,
    TextTooLongError,
    TokenizerFileError,
    TokenizerRefusedError,
)
from core.tokenisation.tokenizer import MAX_CHARACTERS, Tokenizer

__all__ = [
    "MAX_CHARACTERS",
    "CharacterMapError",
    "DamagedPieceFileError",
    "EmptyTextError",
    "Encoding",
    "MissingTokenError",
    "TextTooLongError",
    "Tokenizer",
    "TokenizerFileError",
    "TokenizerRefusedError",
    "Word",
    "readable",
]
