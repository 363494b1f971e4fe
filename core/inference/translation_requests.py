"""Requests about a translation and how it came about."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoints import Checkpoint
from core.tasks.unfold import Weight
from core.tasks.unfold_sides import unfold_sides
from core.tasks.watch_translation import WatchedTranslation, languages, watch_translation
from core.tokenisation import Encoding


@dataclass(frozen=True)
class LanguagesRequest:
    """See :func:`core.tasks.watch_translation.languages`."""

    checkpoint: str

    def run(self, checkpoint: Checkpoint) -> tuple[str, ...]:
        """Compute the answer."""
        return languages(checkpoint)


@dataclass(frozen=True)
class WatchTranslationRequest:
    """See :func:`core.tasks.watch_translation.watch_translation`."""

    checkpoint: str
    text: str
    language: str | None = None
    beams: int = 4
    followed: int = 0
    padding: int = 0
    top: int = 10

    def run(self, checkpoint: Checkpoint) -> WatchedTranslation:
        """Compute the answer."""
        return watch_translation(
            checkpoint,
            self.text,
            language=self.language,
            beams=self.beams,
            followed=self.followed,
            padding=self.padding,
            top=self.top,
        )


@dataclass(frozen=True)
class UnfoldSidesRequest:
    """See :func:`core.tasks.unfold_sides.unfold_sides`."""

    checkpoint: str
    source: Encoding
    target: Encoding
    kind: str
    layer: int = 0
    head: int = 0
    query: int = 0
    key: int = 0

    def run(self, checkpoint: Checkpoint) -> Weight:
        """Compute the answer."""
        return unfold_sides(
            checkpoint,
            self.source,
            self.target,
            kind=self.kind,
            layer=self.layer,
            head=self.head,
            query=self.query,
            key=self.key,
        )
