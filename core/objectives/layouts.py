"""The shapes of batches, and which step has which."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Layout:
    """One shape of batch.

    Attributes:
        share: of all steps.
        length: tokens a sequence.
        pairs: of the sequences, the share that are sentence pairs; the rest is running text.
        short: whether sequences are single sentences, padded, instead.
    """

    share: float
    length: int
    pairs: float = 0.0
    short: bool = False


# Mostly 128 tokens, as in the paper, but long and short inputs from the first step on: the reader
# of the app types one sentence, and the positions up to 512 are there to be used.
LAYOUTS = (
    Layout(share=0.82, length=128, pairs=0.4),
    Layout(share=0.08, length=512),
    Layout(share=0.10, length=64, short=True),
)


def layouts_within(positions: int) -> tuple[Layout, ...]:
    """``LAYOUTS`` for a model that reads no more than so many tokens."""
    return tuple(replace(one, length=min(one.length, positions)) for one in LAYOUTS)


def layout_at(step: int, layouts: tuple[Layout, ...]) -> Layout:
    """Which layout a step has: over any stretch of steps each comes in nearly its share."""
    # The golden ratio's multiples spread evenly.
    point = (step * 0.6180339887498949) % 1.0 * sum(one.share for one in layouts)
    for layout in layouts:
        point -= layout.share
        if point < 0:
            return layout
    return layouts[-1]
