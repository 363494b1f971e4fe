"""What a model would have guessed had it stopped after an earlier layer.

nostalgebraist 2020, "interpreting GPT: the logit lens" (a post on LessWrong): the hidden state
between two layers is read by the model's own output head. The head was trained on the last layer
alone, so where an early layer says nothing sensible it may still know something.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from core.checkpoints import Checkpoint
from core.tasks.fill_mask import (
    Prediction,
    hide_words,
    likeliest,
    mask_positions,
    require_guesses,
    texts_with_masks,
)
from core.tasks.forward import encode, forward, one_stack, scored_words
from core.tokenisation import Encoding

_EMBEDDING, _PROJECTED = "embedding.output", "embedding.projected"
_LAYERS = "encoder.layers.*.output"


class FollowedPiece(NamedTuple):
    """How one piece of the vocabulary stands at one mask, layer by layer.

    Attributes:
        token: as it stands in the vocabulary.
        original: whether it is what the mask hides.
        ranks: 1 for the likeliest piece of all, ``[layer]``.
        probabilities: ``[layer]``.
    """

    token: str
    original: bool
    ranks: tuple[int, ...]
    probabilities: tuple[float, ...]


@dataclass(frozen=True)
class LensResult:
    """Readings of one forward pass.

    Attributes:
        texts, encoding, byte_level, seconds, device: as in :class:`core.tasks.FillMaskResult`.
        layers: ``layers[layer][mask]``, the likeliest first; layer 0 is the embeddings, layer k the
            output of the kth layer, and the last is what the model says in the end.
        followed: ``followed[mask]``: the pieces that the last layer puts first, in its order, and
            after them what the mask hides, unless it is one of them or a person typed the mask.
    """

    texts: tuple[str, ...]
    layers: tuple[tuple[tuple[Prediction, ...], ...], ...]
    followed: tuple[tuple[FollowedPiece, ...], ...]
    encoding: Encoding
    byte_level: bool
    seconds: float
    device: str


def logit_lens(
    checkpoint: Checkpoint,
    text: str,
    pair: str | None = None,
    *,
    mask_words: Collection[int] = (),
    top: int = 5,
    off: Sequence[tuple[int, int]] = (),
    cut: bool = False,
) -> LensResult:
    """Read every mask after the embeddings and after each layer.

    Arguments and errors are those of :func:`core.tasks.fill_mask`; ``top`` counts predictions a
    mask and layer, and the pieces of the last layer that are followed through all of them. The last
    layer's predictions are those of :func:`core.tasks.fill_mask`.
    """
    require_guesses(checkpoint, top)
    tokenizer = checkpoint.tokenizer
    typed = encode(checkpoint, text, pair, cut=cut)
    encoding = hide_words(checkpoint, text, mask_words, pair, cut=cut)
    positions = mask_positions(checkpoint, encoding)
    # ALBERT's tables are narrower than its layers: the heads read what is projected.
    narrow = checkpoint.config.embedding.output_width is not None
    first = _PROJECTED if narrow else _EMBEDDING
    site = checkpoint.model.word_site
    ran = forward(checkpoint, encoding, sites=(first, _LAYERS), off=off, head=site)
    said = ran.logits[positions]  # [mask, vocabulary]
    finals = likeliest(said, top, tokenizer)
    typed_mask = tokenizer.mask_id
    hidden = [None if typed.ids[at] == typed_mask else typed.ids[at] for at in positions]
    best = said.float().topk(min(top, said.shape[-1]), dim=-1).indices.tolist()
    # Of every mask as many pieces: some stand twice in a row.
    pieces = [
        [*row, row[0] if piece is None else piece] for row, piece in zip(best, hidden, strict=True)
    ]
    chosen = torch.tensor(pieces, device=said.device)  # [mask, piece]
    _side, stack = one_stack(checkpoint)
    streams = [ran.trace[first], *ran.trace.stacked(_LAYERS, layers=stack.depth)]
    readings = []
    # A layer at a time: scores of 300 masks are 36 MB. Those of the last layer are there already.
    for number, stream in enumerate(streams, start=1):
        last = number == len(streams)
        scores = said if last else _scores(checkpoint, stream[0, positions])
        predictions = finals if last else likeliest(scores, top, tokenizer)
        readings.append((tuple(predictions), *_standing(scores, chosen)))
    layers, ranks, probabilities = zip(*readings, strict=True)
    followed = tuple(
        tuple(
            FollowedPiece(
                tokenizer.token(piece),
                piece == hidden[mask],
                tuple(layer[mask][at] for layer in ranks),
                tuple(layer[mask][at] for layer in probabilities),
            )
            for at, piece in enumerate(row)
            if piece not in row[:at]
        )
        for mask, row in enumerate(pieces)
    )
    return LensResult(
        texts=texts_with_masks(encoding, mask_words, tokenizer.mask_token),
        layers=layers,
        followed=followed,
        encoding=encoding,
        byte_level=tokenizer.byte_level,
        seconds=ran.seconds,
        device=ran.device,
    )


@torch.inference_mode()
def _scores(checkpoint: Checkpoint, hidden: Tensor) -> Tensor:
    """What the model's own head makes of ``[mask, width]``: ``[mask, vocabulary]``."""
    model: Any = checkpoint.model
    # A pre-norm stack is read through its final norm; a post-norm one has the identity there.
    normed = model.encoder.final_norm(hidden.to(model.embedding.token_table.weight))
    return scored_words(checkpoint, normed)


def _standing(scores: Tensor, pieces: Tensor) -> tuple[list[list[int]], list[list[float]]]:
    """Ranks and probabilities of some pieces, ``[mask, piece]`` both.

    Args:
        scores: ``[mask, vocabulary]``.
        pieces: their numbers, ``[mask, piece]``.
    """
    exact = scores.float()
    given = exact.gather(1, pieces)  # [mask, piece]
    # A piece at a time, for the sake of memory.
    ranks = torch.stack([1 + (exact > one[:, None]).sum(dim=1) for one in given.T], dim=1)
    probabilities = exact.softmax(dim=1).gather(1, pieces)
    return ranks.tolist(), probabilities.tolist()
