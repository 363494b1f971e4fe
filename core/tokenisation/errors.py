"""What can be wrong with a text or with a tokenizer's file."""

from __future__ import annotations

from pathlib import Path

from core.errors import HeadlightError


class EmptyTextError(HeadlightError):
    """A text without anything to read: empty, only spaces, only control characters."""

    def __init__(self, segment: int) -> None:
        which = ("text", "second text")[segment]
        super().__init__(f"the {which} is empty: there is nothing to read in it")
        self.segment = segment


class TextTooLongError(HeadlightError):
    """A text that is refused before it is tokenised."""

    def __init__(self, characters: int, limit: int) -> None:
        super().__init__(f"the text has {characters:,} characters; at most {limit:,} are read")
        self.characters = characters
        self.limit = limit


class MissingTokenError(HeadlightError):
    """The vocabulary has no token for a role, for example none that hides a word."""

    def __init__(self, role: str) -> None:
        super().__init__(f"this model's vocabulary has no {role} token")
        self.role = role


class TokenizerFileError(HeadlightError):
    """The file cannot be read as a tokenizer."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path.name} is missing or is not a tokenizer file")
        self.path = path


class DamagedPieceFileError(HeadlightError):
    """A SentencePiece file that cannot be what it says it is."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the SentencePiece file is damaged: {problem}")
        self.problem = problem


class CharacterMapError(HeadlightError):
    """A compiled table of replacements whose lookups would leave it."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the tokenizer's character map is damaged: {problem}")
        self.problem = problem


class TokenizerRefusedError(HeadlightError):
    """A tokenizer that is sound, but could not be followed exactly here."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"the tokenizer {file} cannot be followed exactly: {reason}")
        self.file = file
        self.reason = reason
