"""What each attention head alone does for a word that stands behind a mask.

Michel et al. 2019, "Are Sixteen Heads Really Better than One?", section 3.2: every head is ablated
by itself, all others stay. The heads that stay may make up for the one that is missing, so a small
change does not say that a head does nothing, and changes of several heads do not add up.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.checkpoints import Checkpoint
from core.engine.progress import tell_progress
from core.hooks import Intervention, ablate_each_head, intervene
from core.models.body import Inputs
from core.tasks.errors import NoSuchMaskError, TooManyAblationsError
from core.tasks.fill_mask import hide_words, mask_positions, require_guesses, texts_with_masks
from core.tasks.forward import device_of, encode, inputs_of, one_stack, read_only, scored_words
from core.tokenisation import Encoding

MAX_ABLATED = 1 << 14  # heads times tokens: three seconds of the bundled BERT on one core


@dataclass(frozen=True, eq=False)
class AblatedPiece:
    """One piece of the vocabulary at the mask.

    Attributes:
        token: as it stands in the vocabulary.
        original: whether it is what the mask hides.
        before: its log-probability with every head, in nats.
        after: without one head, in nats ``[layer, head]``; read-only.
    """

    token: str
    original: bool
    before: float
    after: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class HeadAblations:
    """Every head of a model ablated by itself.

    Attributes:
        texts: the text with its masks.
        position: of the mask, counted from 0 with special tokens.
        pieces: the likeliest with every head, the likeliest first, and after them what the mask
            hides, unless it is one of them or a person typed the mask.
        encoding: exactly the tokens that ran.
        byte_level: as in :class:`core.tasks.FillMaskResult`.
        seconds: wall time of all passes.
        device: where they ran.
    """

    texts: tuple[str, ...]
    position: int
    pieces: tuple[AblatedPiece, ...]
    encoding: Encoding
    byte_level: bool
    seconds: float
    device: str


@torch.inference_mode()
def ablate_each(
    checkpoint: Checkpoint,
    text: str,
    *,
    mask_words: Collection[int] = (),
    mask: int = 0,
    top: int = 5,
) -> HeadAblations:
    """Ablate every head by itself, and say what that does to the likeliest words of a mask.

    Args:
        checkpoint: a model with a masked-language head.
        text: may contain masks.
        mask_words: numbers of words to hide; one of k pieces becomes k masks.
        mask: which mask, from 0 in the order of the tokens.
        top: as many of the likeliest words are followed.

    Raises:
        NoSuchMaskError: the text has fewer masks.
        TooManyAblationsError: more than ``MAX_ABLATED`` heads times tokens.
        NoMaskError, NoSuchWordError, MissingHeadError, TopOutOfRangeError, EmptyTextError,
        TextTooLongError, SequenceTooLongError: as in :func:`core.tasks.fill_mask`.
    """
    require_guesses(checkpoint, top)
    start = time.perf_counter()
    typed = encode(checkpoint, text)
    encoding = hide_words(checkpoint, text, mask_words)
    positions = mask_positions(checkpoint, encoding)
    if not 0 <= mask < len(positions):
        raise NoSuchMaskError(mask, len(positions))
    side, stack = one_stack(checkpoint)
    heads = stack.depth * stack.layer.attention.heads
    if len(encoding) > (most := MAX_ABLATED // heads):
        raise TooManyAblationsError(heads, len(encoding), most)
    position, tokenizer = positions[mask], checkpoint.tokenizer
    inputs = inputs_of(checkpoint, encoding.ids, encoding.segments)
    scores = _log_probabilities(checkpoint, inputs, position)[0]  # [vocabulary]
    pieces = scores.topk(min(top, len(scores))).indices.tolist()
    hidden = None if typed.ids[position] == tokenizer.mask_id else typed.ids[position]
    if hidden is not None and hidden not in pieces:
        pieces.append(hidden)
    ablated = []
    for layer in range(stack.depth):
        change = ablate_each_head(layer, attention=f"{side}.layers.{{}}.attention")
        found = _log_probabilities(checkpoint, inputs, position, change)  # [head, vocabulary]
        ablated.append(found[:, pieces])
        tell_progress(layer + 1, stack.depth)
    after = read_only(torch.stack(ablated).permute(2, 0, 1).contiguous().cpu())
    return HeadAblations(
        texts=texts_with_masks(typed, mask_words, tokenizer.mask_token),
        position=position,
        pieces=tuple(
            AblatedPiece(tokenizer.token(piece), piece == hidden, scores[piece].item(), after[at])
            for at, piece in enumerate(pieces)
        ),
        encoding=encoding,
        byte_level=tokenizer.byte_level,
        seconds=time.perf_counter() - start,
        device=str(device_of(checkpoint)),
    )


def _log_probabilities(
    checkpoint: Checkpoint, inputs: Inputs, position: int, *changes: Intervention
) -> Tensor:
    """Of every piece at one position, ``[row, vocabulary]``, in nats.

    The head reads this position alone: over all of them it would take longer than the layers.
    """
    with intervene(*changes):
        hidden = checkpoint.model.read(inputs, predict=False).hidden
    return scored_words(checkpoint, hidden[:, position]).float().log_softmax(dim=-1)
