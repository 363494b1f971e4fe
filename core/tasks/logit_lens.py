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
from core.tasks.forward import forward, one_stack, scored_words
from core.tokenisation import Encoding

_EMBEDDING, _PROJECTED = "embedding.output", "embedding.projected"
_LAYERS = "encoder.layers.*.output"


class LensReading(NamedTuple):
    """What one layer says at one mask.

    Attributes:
        predictions: the likeliest first.
        final: probability here of the piece that the last layer puts first.
        rank: of that piece here; 1 for the likeliest.
    """

    predictions: tuple[Prediction, ...]
    final: float
    rank: int


@dataclass(frozen=True)
class LensResult:
    """Readings of one forward pass.

    Attributes:
        texts, encoding, byte_level, seconds, device: as in :class:`core.tasks.FillMaskResult`.
        layers: ``layers[layer][mask]``; layer 0 is the embeddings, layer k the output of the kth
            layer, and the last is what the model says in the end.
    """

    texts: tuple[str, ...]
    layers: tuple[tuple[LensReading, ...], ...]
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
    mask and layer. The last layer's predictions are those of :func:`core.tasks.fill_mask`.
    """
    require_guesses(checkpoint, top)
    tokenizer = checkpoint.tokenizer
    encoding = hide_words(checkpoint, text, mask_words, pair, cut=cut)
    positions = mask_positions(checkpoint, encoding)
    # ALBERT's tables are narrower than its layers: the heads read what is projected.
    narrow = checkpoint.config.embedding.output_width is not None
    first = _PROJECTED if narrow else _EMBEDDING
    site = checkpoint.model.word_site
    ran = forward(checkpoint, encoding, sites=(first, _LAYERS), off=off, head=site)
    said = ran.logits[positions]  # [mask, vocabulary]
    final = said.argmax(dim=-1)
    _side, stack = one_stack(checkpoint)
    streams = [ran.trace[first], *ran.trace.stacked(_LAYERS, layers=stack.depth)]
    # A layer at a time: scores of 300 masks are 36 MB. Those of the last layer are there already.
    earlier = (
        _read(_scores(checkpoint, stream[0, positions]), final, top, checkpoint)
        for stream in streams[:-1]
    )
    layers = (*earlier, _read(said, final, top, checkpoint))
    return LensResult(
        texts=texts_with_masks(encoding, mask_words, tokenizer.mask_token),
        layers=layers,
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


def _read(
    scores: Tensor, final: Tensor, top: int, checkpoint: Checkpoint
) -> tuple[LensReading, ...]:
    probabilities = scores.float().softmax(dim=-1)  # [mask, vocabulary]
    of_final = probabilities.gather(1, final[:, None])
    ranks = (probabilities > of_final).sum(dim=1) + 1
    found = zip(
        likeliest(scores, top, checkpoint.tokenizer),
        of_final[:, 0].tolist(),
        ranks.tolist(),
        strict=True,
    )
    return tuple(LensReading(*reading) for reading in found)
