"""Files that several verbs take by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.errors import ConfigError


def named_files(words: Sequence[str]) -> dict[str, Path]:
    """``de=pairs.tsv`` and the like, by name.

    Raises:
        ConfigError: one has another form, or a name comes twice.
    """
    found: dict[str, Path] = {}
    for word in words:
        name, equals, file = word.partition("=")
        if not (name and equals and file) or name in found:
            raise ConfigError(f"NAME=FILE, each name once, not {word!r}")
        found[name] = Path(file)
    return found
