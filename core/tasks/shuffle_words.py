"""The same words in another order, read with and without their positions.

Without position terms, and with every token seeing every token, nothing in an encoder knows where a
token stands: shuffled tokens get the same vectors, shuffled the same way. Vaswani et al. 2017,
"Attention Is All You Need", section 3.5, is why positions are added at all.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.checkpoints import Checkpoint
from core.config import Positions
from core.hooks import Intervention, intervene
from core.hooks.sites import Site
from core.tasks.errors import NotReadError, TooManyWordsError
from core.tasks.fill_mask import Prediction, hide_words, likeliest, mask_positions, require_guesses
from core.tasks.forward import POSITIONS, Forward, forward, one_stack, read_only, scored_words
from core.tokenisation import EmptyTextError, Encoding

MOST_WORDS = 128


class Moved(NamedTuple):
    """What the shuffle changed, each token compared with itself.

    Attributes:
        turned: of every token of the text as typed: 1 minus the cosine of the angle between its
            last vectors, ``[token]``.
        largest: the largest difference of a number in all of them.
        attention: how much of a row of attention went to other tokens, 0 to 1: half the sum of
            absolute differences, mean over all layers, heads and rows.
        before, after: the guesses for the hidden word.
        guesses: how much of the probability of these went to other words, 0 to 1.
    """

    turned: NDArray[np.float32]
    largest: float
    attention: float
    before: tuple[Prediction, ...]
    after: tuple[Prediction, ...]
    guesses: float


@dataclass(frozen=True)
class ShuffledWords:
    """One text in two orders, each read twice.

    Attributes:
        encoding: the text as typed, its word hidden.
        sources: for every position of the shuffled text, the position where its token stood before.
        shuffled: the tokens in their new order.
        order: numbers of the words in their new order.
        masked: where the hidden token stands in the text as typed.
        with_positions: as the model was trained.
        without_positions: its position terms replaced by zeros.
        byte_level: whether the vocabulary spells bytes, which :func:`readable` asks for.
        seconds: wall time of the four passes.
        device: where they ran.
    """

    encoding: Encoding
    sources: tuple[int, ...]
    shuffled: Encoding
    order: tuple[int, ...]
    masked: int
    with_positions: Moved
    without_positions: Moved
    byte_level: bool
    seconds: float
    device: str


def shuffle_words(
    checkpoint: Checkpoint,
    text: str,
    *,
    mask_words: Collection[int] = (),
    seed: int = 0,
    top: int = 3,
) -> ShuffledWords:
    """Shuffle the words of a text, and compare what a model makes of both orders.

    Words move with all their pieces; special tokens stay where they are.

    Args:
        checkpoint: an encoder with a position table and a masked-language head.
        text: what a person typed; may contain masks.
        mask_words: numbers of words to hide as well. Of several masks the first is looked at.
        seed: of the shuffle.
        top: guesses for the hidden word.

    Raises:
        NotReadError: the model has no position table.
        TooManyWordsError: more than ``MOST_WORDS`` words.
        NoMaskError, NoSuchWordError, MissingHeadError, TopOutOfRangeError, NotOneStackError,
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`fill_mask`.
    """
    require_guesses(checkpoint, top)
    if checkpoint.config.embedding.positions is Positions.NONE:
        raise NotReadError("position table", checkpoint.config.system)
    encoding = hide_words(checkpoint, text, mask_words)
    masked = mask_positions(checkpoint, encoding)[0]
    order = shuffled_order(len(encoding.spans), seed)
    sources = moved_tokens(encoding, order)
    shuffled = _rearranged(encoding, sources)
    readings, seconds, device = [], 0.0, ""
    for off in (False, True):
        pair = [_read(checkpoint, one, without=off) for one in (encoding, shuffled)]
        seconds += sum(one.seconds for one in pair)
        device = pair[0].device
        readings.append(_compare(checkpoint, pair, sources, masked, top))
    return ShuffledWords(
        encoding=encoding,
        sources=sources,
        shuffled=shuffled,
        order=order,
        masked=masked,
        with_positions=readings[0],
        without_positions=readings[1],
        byte_level=checkpoint.tokenizer.byte_level,
        seconds=seconds,
        device=device,
    )


def shuffled_order(words: int, seed: int) -> tuple[int, ...]:
    """The numbers of words in a new order: never the old one, where there is another.

    Raises:
        TooManyWordsError: more than ``MOST_WORDS``.
        EmptyTextError: none.
    """
    if words > MOST_WORDS:
        raise TooManyWordsError(words, MOST_WORDS)
    if not words:
        raise EmptyTextError(0)
    order = list(range(words))
    generator = random.Random(seed)  # noqa: S311
    while True:
        generator.shuffle(order)
        if words == 1 or order != sorted(order):
            return tuple(order)


def moved_tokens(encoding: Encoding, order: Sequence[int]) -> tuple[int, ...]:
    """For every position, which token of the text as typed comes there; what is no word stays.

    Words 0 (tokens 1 and 2) and 1 (token 3) between special tokens, in the order 1, 0::

        position   0  1  2  3  4
        source  0  3  1  2  4
    """
    sources = list(range(len(encoding)))
    positions = [at for at, word in enumerate(encoding.words) if word is not None]
    arrived = [token for word in order for token in encoding.tokens_of(word)]
    for position, source in zip(positions, arrived, strict=True):
        sources[position] = source
    return tuple(sources)


def _rearranged(encoding: Encoding, sources: Sequence[int]) -> Encoding:
    return replace(
        encoding,
        ids=tuple(encoding.ids[source] for source in sources),
        tokens=tuple(encoding.tokens[source] for source in sources),
        pieces=tuple(encoding.pieces[source] for source in sources),
        offsets=tuple(encoding.offsets[source] for source in sources),
        words=tuple(encoding.words[source] for source in sources),
    )


def _read(checkpoint: Checkpoint, encoding: Encoding, *, without: bool) -> Forward:
    changes = (Intervention(POSITIONS, _nothing),) if without else ()
    with intervene(*changes):
        # One token is scored over the vocabulary, later: all would take longer than the passes.
        return forward(checkpoint, encoding, sites=(_last(checkpoint),), patterns=True)


@torch.inference_mode()
def _scored(checkpoint: Checkpoint, vector: NDArray[np.float32]) -> Tensor:
    """What the head makes of one last vector, ``[1, vocabulary]``."""
    weights = next(checkpoint.model.parameters())
    hidden = torch.tensor(vector[None]).to(weights)
    return scored_words(checkpoint, hidden).float().cpu()


def _nothing(value: Tensor, _site: Site) -> Tensor:
    return torch.zeros_like(value)


def _last(checkpoint: Checkpoint) -> str:
    side, stack = one_stack(checkpoint)
    return f"{side}.layers.{stack.depth - 1}.output"


def _compare(
    checkpoint: Checkpoint,
    pair: Sequence[Forward],
    sources: Sequence[int],
    masked: int,
    top: int,
) -> Moved:
    """Both readings, the second one sorted back into the order of the first."""
    positions = np.argsort(sources)  # where each token of the text as typed has gone
    first, second = (one.trace[_last(checkpoint)][0].numpy() for one in pair)
    second = second[positions]
    lengths = np.linalg.norm(first, axis=-1) * np.linalg.norm(second, axis=-1)
    # A length of 0 has no angle; float32 may give a cosine a little above 1.
    cosines = (first * second).sum(axis=-1) / np.maximum(lengths, np.finfo(np.float32).tiny)
    assert pair[0].patterns is not None
    assert pair[1].patterns is not None
    patterns = pair[1].patterns[:, :, positions][:, :, :, positions]
    logits = [_scored(checkpoint, vectors[masked]) for vectors in (first, second)]
    guesses = [likeliest(one, top, checkpoint.tokenizer)[0] for one in logits]
    before, after = (one.softmax(dim=-1) for one in logits)
    return Moved(
        turned=read_only(np.clip(1 - cosines, 0, None).astype(np.float32)),
        largest=float(np.abs(first - second).max()),
        attention=float(np.abs(pair[0].patterns - patterns).sum(axis=-1).mean() / 2),
        before=guesses[0],
        after=guesses[1],
        guesses=float((before - after).abs().sum() / 2),
    )
