"""How what a model expects at one mask moves when the text or the model changes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from core.checkpoints import Checkpoint
from core.tasks.errors import NoSuchMaskError
from core.tasks.fill_mask import hide_words, mask_positions, require_guesses
from core.tasks.forward import forward


class Moved(NamedTuple):
    """One candidate: a piece as it stands in the vocabulary, and both of its probabilities."""

    token: str
    before: float
    after: float


@dataclass(frozen=True)
class MaskComparison:
    """One mask in two forward passes.

    Attributes:
        words: the likeliest words of either pass; first the one that is likeliest in any.
        moved: how much of the probability went from some words to others, 0 to 1: half the sum of
            all absolute differences (total variation distance).
        masks: how many masks the second pass had.
        seconds: wall time of both passes.
    """

    words: tuple[Moved, ...]
    moved: float
    masks: int
    seconds: float


def compare_masks(
    checkpoint: Checkpoint,
    text: str,
    *,
    mask_words: Collection[int] = (),
    mask: int = 0,
    changed: str | None = None,
    off: Sequence[tuple[int, int]] = (),
    top: int = 5,
) -> MaskComparison:
    """Compare the predictions for one mask before and after a change, exactly.

    Args:
        checkpoint: a model with a masked-language head.
        text: before; may contain masks.
        mask_words: numbers of words of ``text`` to hide as well.
        mask: which mask, from 0 in the order of the tokens; the same one after the change.
        changed: the text after the change, with its own masks; ``None`` for the same text with the
            same words hidden.
        off: pairs of layer and head ablated after the change, not before.
        top: of each pass this many words are listed, so ``top`` to twice as many in all.

    Raises:
        NoSuchMaskError: one of the texts has fewer masks.
        NoMaskError, NoSuchWordError, NoSuchHeadError, MissingHeadError, TopOutOfRangeError,
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`fill_mask`.
    """
    require_guesses(checkpoint, top)
    first = hide_words(checkpoint, text, mask_words)
    second = first if changed is None else hide_words(checkpoint, changed)
    probabilities, masks, seconds = [], 0, 0.0
    for encoding, heads in ((first, ()), (second, off)):
        found = mask_positions(checkpoint, encoding)
        if not 0 <= mask < len(found):
            raise NoSuchMaskError(mask, len(found))
        ran = forward(checkpoint, encoding, off=heads, head=checkpoint.model.word_site)
        probabilities.append(ran.logits[found[mask]].float().softmax(dim=-1).cpu())
        masks, seconds = len(found), seconds + ran.seconds
    before, after = probabilities
    return MaskComparison(
        words=_likeliest(before, after, top, checkpoint),
        moved=float((before - after).abs().sum() / 2),
        masks=masks,
        seconds=seconds,
    )


def _likeliest(
    before: Tensor, after: Tensor, top: int, checkpoint: Checkpoint
) -> tuple[Moved, ...]:
    count = min(top, len(before))
    listed = torch.cat([before.topk(count).indices, after.topk(count).indices]).unique()
    words = [
        Moved(checkpoint.tokenizer.token(number), before[number].item(), after[number].item())
        for number in listed.tolist()
    ]
    return tuple(sorted(words, key=lambda one: max(one.before, one.after), reverse=True))
