"""What a model would put in the place of hidden words.

Devlin et al. 2019, "BERT", section 3.1, task 1, puts a mask in the word's place. Yang et al. 2019,
"XLNet", section 2.3, leaves the text as it is, and the query stream predicts a position whose token
nobody may look at.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.checkpoints import Checkpoint
from core.config import Head
from core.errors import MissingHeadError
from core.hooks import to_host
from core.tasks.errors import NoMaskError, NoSuchWordError, TopOutOfRangeError
from core.tasks.forward import encode, forward, read_only
from core.tokenisation import Encoding, Tokenizer

MAX_TOP = 100


class Prediction(NamedTuple):
    """One candidate: a piece as it stands in the vocabulary, and its probability."""

    token: str
    probability: float


@dataclass(frozen=True)
class MaskedToken:
    """One hidden token and what could stand there.

    Attributes:
        position: of the token, counted from 0 with special tokens.
        word: number of the word that it belongs to, or of the typed mask itself.
        predictions: the likeliest first.
        piece: what stood there; ``None`` under a mask that a person typed.
        probability: what the model gives that piece; ``None`` likewise.
        rank: of that piece among all of the vocabulary, 1 for the likeliest; ``None`` likewise.
    """

    position: int
    word: int | None
    predictions: tuple[Prediction, ...]
    piece: str | None
    probability: float | None
    rank: int | None


@dataclass(frozen=True)
class FillMaskResult:
    """Predictions of one forward pass, for all masks at once.

    Attributes:
        texts: the one or two texts as they ran, with their masks; typed in again they give the
            same predictions. Those of XLNet are as they were typed.
        masks: in the order of the tokens.
        streams: whether a query stream read the hidden tokens, and no mask stands in their place.
        encoding: exactly the tokens that ran; offsets and spellings are those of the person's own
            text, also under a mask.
        patterns: attention of the same pass ``[layer, head, query, key]``, read-only; the rows of
            hidden tokens are those of the stream that predicts them; ``None`` unless asked for.
        masked: boolean ``[query, key]``, True where the query may not see the key, read-only;
            ``None`` without patterns.
        positions: rows of the position table that the same pass added to the tokens ``[token,
            width]``, read-only; ``None`` without patterns or without a table.
        logits: scores of every piece at every mask ``[mask, vocabulary]``, read-only; ``None``
            without patterns.
        byte_level: whether the vocabulary spells bytes, which :func:`readable` asks for.
        marks_spaces: whether its pieces say where spaces are: ``▁the``, and not ``##ing``.
        seconds: wall time of the pass.
        device: where it ran.
    """

    texts: tuple[str, ...]
    masks: tuple[MaskedToken, ...]
    streams: bool
    encoding: Encoding
    patterns: NDArray[np.float32] | None
    masked: NDArray[np.bool_] | None
    positions: NDArray[np.float32] | None
    logits: NDArray[np.float32] | None
    byte_level: bool
    marks_spaces: bool
    seconds: float
    device: str


@dataclass(frozen=True)
class TypedMasks:
    """A text as it was typed.

    Attributes:
        encoding: its tokens.
        mask_token: how the vocabulary writes a mask.
        positions: of the masks that it has.
    """

    encoding: Encoding
    mask_token: str
    positions: tuple[int, ...]


def fill_mask(
    checkpoint: Checkpoint,
    text: str,
    pair: str | None = None,
    *,
    mask_words: Collection[int] = (),
    top: int = 5,
    off: Sequence[tuple[int, int]] = (),
    cut: bool = False,
    patterns: bool = False,
) -> FillMaskResult:
    """Predict every mask in one or two texts.

    An XLNet predicts each hidden token as if the other hidden ones were unknown to it, too.

    Args:
        checkpoint: a model with a masked-language head, or an XLNet with its language head.
        text: may contain any number of masks, written as the vocabulary's mask token.
        pair: a second text, or ``None``.
        mask_words: numbers of words to hide; one of k pieces becomes k masks.
        top: predictions a mask, 1 to ``MAX_TOP``.
        off: pairs of layer and head to ablate in this pass.
        cut: leave out the end of the longer text until both fit, instead of refusing.
        patterns: also keep the attention of this pass, its positions and its scores.

    Raises:
        NoMaskError: nothing is hidden.
        NoSuchWordError: a word that the text does not have.
        NoSuchHeadError: a head that the model does not have.
        MissingHeadError: the model cannot guess words.
        TopOutOfRangeError: ``top`` is below 1 or above ``MAX_TOP``.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
        TooManyWeightsError: patterns are asked for, and there is no room for them.
    """
    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    streams = bool(model.streams)
    require_guesses(checkpoint, top, streams=streams)
    typed = encode(checkpoint, text, pair, cut=cut)
    _require_words(typed, mask_words)
    hidden = tokenizer.hide(typed, mask_words)
    positions = mask_positions(checkpoint, hidden)
    encoding = typed if streams else hidden
    ran = forward(
        checkpoint,
        encoding,
        off=off,
        patterns=patterns,
        head=model.word_site,
        hidden=positions if streams else (),
    )
    logits = ran.logits[positions]  # [mask, vocabulary]
    return FillMaskResult(
        texts=texts_with_masks(typed, () if streams else mask_words, tokenizer.mask_token),
        masks=_masked_tokens(typed, positions, logits, top, tokenizer),
        streams=streams,
        encoding=encoding,
        patterns=ran.patterns,
        masked=ran.masked,
        positions=ran.positions,
        logits=read_only(to_host(logits)) if patterns else None,
        byte_level=tokenizer.byte_level,
        marks_spaces=tokenizer.marks_spaces,
        seconds=ran.seconds,
        device=ran.device,
    )


def find_masks(checkpoint: Checkpoint, text: str) -> TypedMasks:
    """Find the masks that a person typed, without a pass of the model.

    Raises:
        MissingHeadError: the model cannot guess words.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    require_guesses(checkpoint)
    encoding, tokenizer = encode(checkpoint, text), checkpoint.tokenizer
    return TypedMasks(encoding, tokenizer.mask_token, _masks_in(encoding, tokenizer))


def require_guesses(checkpoint: Checkpoint, top: int = 1, *, streams: bool = False) -> None:
    """Refuse a model that cannot guess words, and a number of guesses out of range.

    Args:
        checkpoint: a loaded model.
        top: predictions a mask.
        streams: whether a query stream guesses in place of a masked-language head.

    Raises:
        MissingHeadError: the model has no masked-language head.
        TopOutOfRangeError: ``top`` is below 1 or above ``MAX_TOP``.
    """
    if (Head.LANGUAGE if streams else Head.MASKED_LANGUAGE) not in checkpoint.config.heads:
        raise MissingHeadError("masked words")
    if not 1 <= top <= MAX_TOP:
        raise TopOutOfRangeError(top, MAX_TOP)


def hide_words(
    checkpoint: Checkpoint,
    text: str,
    words: Collection[int] = (),
    pair: str | None = None,
    *,
    cut: bool = False,
) -> Encoding:
    """Read one or two texts with the given words hidden.

    Raises:
        NoSuchWordError: a word that the text does not have.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    typed = encode(checkpoint, text, pair, cut=cut)
    _require_words(typed, words)
    return checkpoint.tokenizer.hide(typed, words)


def _require_words(encoding: Encoding, words: Collection[int]) -> None:
    for word in words:
        if not 0 <= word < len(encoding.spans):
            raise NoSuchWordError(word, len(encoding.spans))


def mask_positions(checkpoint: Checkpoint, encoding: Encoding) -> list[int]:
    """Where the masks of a text stand, at least one.

    Raises:
        NoMaskError: nothing is hidden.
    """
    tokenizer = checkpoint.tokenizer
    positions = _masks_in(encoding, tokenizer)
    if not positions:
        raise NoMaskError(tokenizer.mask_token)
    return [*positions]


def _masks_in(encoding: Encoding, tokenizer: Tokenizer) -> tuple[int, ...]:
    return tuple(at for at, number in enumerate(encoding.ids) if number == tokenizer.mask_id)


def _masked_tokens(
    typed: Encoding, positions: list[int], logits: Tensor, top: int, tokenizer: Tokenizer
) -> tuple[MaskedToken, ...]:
    """What is known of every hidden token; ``logits`` is ``[mask, vocabulary]``."""
    scores = logits.float()
    ids = torch.tensor([typed.ids[at] for at in positions], device=scores.device)[:, None]
    given = scores.softmax(dim=-1).gather(-1, ids)[:, 0].tolist()
    ranks = (1 + (scores > scores.gather(-1, ids)).sum(dim=-1)).tolist()
    found = zip(positions, likeliest(logits, top, tokenizer), given, ranks, strict=True)
    return tuple(
        MaskedToken(at, typed.words[at], predictions, None, None, None)
        if typed.ids[at] == tokenizer.mask_id
        else MaskedToken(at, _word_at(typed, at), predictions, typed.tokens[at], probability, rank)
        for at, predictions, probability, rank in found
    )


def _word_at(typed: Encoding, position: int) -> int | None:
    """The word that was hidden there; a lone space is hidden with the word behind it."""
    word = typed.words[position]
    return typed.words[position + 1] if word is None else word


def likeliest(logits: Tensor, top: int, tokenizer: Tokenizer) -> list[tuple[Prediction, ...]]:
    """The likeliest pieces of every row of ``[mask, vocabulary]``, the likeliest first."""
    # A tiny vocabulary has fewer pieces than asked for.
    best = logits.float().softmax(dim=-1).topk(min(top, logits.shape[-1]), dim=-1)
    return [
        tuple(
            Prediction(tokenizer.token(number), probability)
            for number, probability in zip(numbers, probabilities, strict=True)
        )
        for numbers, probabilities in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]


def texts_with_masks(
    encoding: Encoding, words: Collection[int], mask_token: str
) -> tuple[str, ...]:
    """The texts of an encoding with masks, one a token, in the place of the given words."""
    texts = list(encoding.texts)
    for word in sorted(set(words), reverse=True):  # from the end: earlier offsets stay true
        segment, start, end = encoding.spans[word]
        masks = " ".join([mask_token] * len(encoding.tokens_with_space(word)))
        texts[segment] = texts[segment][:start] + masks + texts[segment][end:]
    return tuple(texts)
