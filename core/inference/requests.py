"""The requests there are: each the plain arguments of a task, plus the name of a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.checkpoints import Checkpoint
from core.decoding import Sampling
from core.tasks import (
    AttendResult,
    Continuation,
    FillMaskResult,
    LensResult,
    MaskComparison,
    RandomMaskingResult,
    UnfoldedCell,
    attend,
    compare_masks,
    continue_text,
    fill_mask,
    logit_lens,
    random_masking,
    unfold,
)


@dataclass(frozen=True)
class AttendRequest:
    """See :func:`core.tasks.attend`."""

    checkpoint: str
    text: str
    pair: str | None = None
    cut: bool = False
    target: str | None = None
    language: str | None = None
    order: tuple[int, ...] | Literal["random"] | None = None
    seed: int = 0

    def run(self, checkpoint: Checkpoint) -> AttendResult:
        """Compute the answer."""
        return attend(
            checkpoint,
            self.text,
            self.pair,
            cut=self.cut,
            target=self.target,
            language=self.language,
            order=self.order,
            seed=self.seed,
        )


@dataclass(frozen=True)
class FillMaskRequest:
    """See :func:`core.tasks.fill_mask`."""

    checkpoint: str
    text: str
    pair: str | None = None
    mask_words: tuple[int, ...] = ()
    top: int = 5
    off: tuple[tuple[int, int], ...] = ()
    cut: bool = False
    patterns: bool = False

    def run(self, checkpoint: Checkpoint) -> FillMaskResult:
        """Compute the answer."""
        return fill_mask(
            checkpoint,
            self.text,
            self.pair,
            mask_words=self.mask_words,
            top=self.top,
            off=self.off,
            cut=self.cut,
            patterns=self.patterns,
        )


@dataclass(frozen=True)
class LensRequest:
    """See :func:`core.tasks.logit_lens`."""

    checkpoint: str
    text: str
    pair: str | None = None
    mask_words: tuple[int, ...] = ()
    top: int = 5
    off: tuple[tuple[int, int], ...] = ()
    cut: bool = False

    def run(self, checkpoint: Checkpoint) -> LensResult:
        """Compute the answer."""
        return logit_lens(
            checkpoint,
            self.text,
            self.pair,
            mask_words=self.mask_words,
            top=self.top,
            off=self.off,
            cut=self.cut,
        )


@dataclass(frozen=True)
class RandomMaskingRequest:
    """See :func:`core.tasks.random_masking`."""

    checkpoint: str
    text: str
    pair: str | None = None
    seed: int = 0
    epochs: int = 1
    dynamic: bool = True
    cut: bool = False

    def run(self, checkpoint: Checkpoint) -> RandomMaskingResult:
        """Compute the answer."""
        return random_masking(
            checkpoint,
            self.text,
            self.pair,
            seed=self.seed,
            epochs=self.epochs,
            dynamic=self.dynamic,
            cut=self.cut,
        )


@dataclass(frozen=True)
class UnfoldRequest:
    """See :func:`core.tasks.unfold`."""

    checkpoint: str
    text: str
    pair: str | None = None
    cut: bool = False
    layer: int = 0
    head: int = 0
    query: int = 0
    key: int = 0

    def run(self, checkpoint: Checkpoint) -> UnfoldedCell:
        """Compute the answer."""
        return unfold(
            checkpoint,
            self.text,
            self.pair,
            layer=self.layer,
            head=self.head,
            query=self.query,
            key=self.key,
            cut=self.cut,
        )


@dataclass(frozen=True)
class CompareMasksRequest:
    """See :func:`core.tasks.compare_masks`."""

    checkpoint: str
    text: str
    mask_words: tuple[int, ...] = ()
    mask: int = 0
    changed: str | None = None
    off: tuple[tuple[int, int], ...] = ()
    top: int = 5

    def run(self, checkpoint: Checkpoint) -> MaskComparison:
        """Compute the answer."""
        return compare_masks(
            checkpoint,
            self.text,
            mask_words=self.mask_words,
            mask=self.mask,
            changed=self.changed,
            off=self.off,
            top=self.top,
        )


@dataclass(frozen=True)
class ContinueTextRequest:
    """See :func:`core.tasks.continue_text`."""

    checkpoint: str
    text: str
    most: int = 64
    samples: int = 1
    temperature: float = 0.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0

    def run(self, checkpoint: Checkpoint) -> Continuation:
        """Compute the answer."""
        return continue_text(
            checkpoint,
            self.text,
            most=self.most,
            samples=self.samples,
            sampling=Sampling(self.temperature, self.top_k, self.top_p),
            seed=self.seed,
        )
