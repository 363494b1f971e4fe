"""SpanBERT's two losses at one hidden word of a span.

Joshi et al. 2020, "SpanBERT", sections 3.1 and 3.2: ``L(x_i) = L_MLM(x_i) + L_SBO(x_i)``. The first
is that of a hidden word; the second names it from the tokens before and after the span alone,
``x_(s-1)`` and ``x_(e+1)``, and from its position in the span, ``p_(i-s+1)``.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import torch
from torch import Tensor

from core.checkpoints import Checkpoint
from core.errors import MissingHeadError
from core.hooks import captured
from core.tasks.errors import NoSpanError, NoSuchWordError
from core.tasks.fill_mask import Prediction, likeliest, require_guesses
from core.tasks.forward import device_of, encode, inputs_of, scored_words
from core.tokenisation import Encoding, Tokenizer

_BOUNDARY = "span_boundary.logits"


@dataclass(frozen=True)
class LossTerm:
    """One way to name the word.

    Attributes:
        probability: what it gives the word's piece.
        predictions: the likeliest first.
    """

    probability: float
    predictions: tuple[Prediction, ...]

    @property
    def loss(self) -> float:
        """``-ln`` of the probability, in nats."""
        return -math.log(max(self.probability, 1e-45))


@dataclass(frozen=True)
class SpanTerms:
    """Both terms at one token.

    Attributes:
        encoding: the text as typed.
        shown: the tokens that ran.
        first, last: tokens of the span.
        left, right: the tokens around it.
        position: of the token that is named.
        index: of it in the span, from 1: that of p.
        piece: what stood there.
        masked: from its own hidden state.
        boundary: from the two around the span and the position.
        seconds: wall time of the pass.
        device: where it ran.
    """

    encoding: Encoding
    shown: Encoding
    first: int
    last: int
    left: int
    right: int
    position: int
    index: int
    piece: str
    masked: LossTerm
    boundary: LossTerm
    seconds: float
    device: str

    @property
    def loss(self) -> float:
        """The sum of both, in nats."""
        return self.masked.loss + self.boundary.loss


@torch.inference_mode()
def span_terms(
    checkpoint: Checkpoint, text: str, *, first: int, last: int, word: int, top: int = 5
) -> SpanTerms:
    """Hide a span of words and name one of them in both ways; of a word its first piece.

    Args:
        checkpoint: a SpanBERT with its boundary head.
        text: what a person typed.
        first, last: words of the span.
        word: one of them.
        top: predictions a way.

    Raises:
        MissingHeadError: the model has no such head.
        NoSuchWordError: a word that the text does not have.
        NoSpanError: the words are no span, the word is not in it, or the span is longer than the
            head knows positions for.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`core.tasks.attend`.
    """
    require_guesses(checkpoint, top)
    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    positions = model.span_positions
    if not positions:
        raise MissingHeadError("words from the boundaries of their span")
    typed = encode(checkpoint, text)
    for one in (first, last, word):
        if not 0 <= one < len(typed.spans):
            raise NoSuchWordError(one, len(typed.spans))
    tokens = [at for at, one in enumerate(typed.words) if one is not None and first <= one <= last]
    own = typed.tokens_of(word)
    if not tokens or not own or own[0] not in tokens or own[0] - tokens[0] >= positions:
        raise NoSpanError(first, last, word, positions)
    shown = tokenizer.hide(typed, range(first, last + 1))
    device = device_of(checkpoint)
    start = time.perf_counter()
    hidden = model.read(inputs_of(checkpoint, shown.ids, shown.segments), predict=False).hidden
    left, right, position = tokens[0] - 1, tokens[-1] + 1, own[0]
    from_state = scored_words(checkpoint, hidden[0, [position]])  # [1, vocabulary]
    around, offset = (hidden[:, [left]], hidden[:, [right]]), position - tokens[0]
    from_around = captured(
        _BOUNDARY,
        lambda: model.score_spans(*around, torch.tensor([[offset]], device=device)),
    )[0]
    seconds = time.perf_counter() - start
    number = typed.ids[position]
    return SpanTerms(
        encoding=typed,
        shown=shown,
        first=tokens[0],
        last=tokens[-1],
        left=left,
        right=right,
        position=position,
        index=position - tokens[0] + 1,
        piece=tokenizer.readable(tokenizer.token(number)),
        masked=_term(from_state, number, top, tokenizer),
        boundary=_term(from_around, number, top, tokenizer),
        seconds=seconds,
        device=str(device),
    )


def _term(logits: Tensor, number: int, top: int, tokenizer: Tokenizer) -> LossTerm:
    probability = float(logits[0].float().softmax(-1)[number])
    return LossTerm(probability, likeliest(logits, top, tokenizer)[0])
