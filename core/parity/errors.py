"""What cannot be compared."""

from __future__ import annotations

from core.errors import HeadlightError


class NoReferenceError(HeadlightError):
    """Hugging Face has no class for this system."""

    def __init__(self, system: str) -> None:
        super().__init__(f"transformers has no class for {system}, so nothing can be compared")
        self.system = system
