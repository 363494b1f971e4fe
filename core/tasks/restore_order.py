"""Words in any order, put back as a model would have them.

Wang et al. 2020, "StructBERT", section 2.2: in training, 5 % of the trigrams are shuffled, and the
model says for each of the three positions which piece was there; everything else stands where it
should. A text that is shuffled from end to end is therefore more than StructBERT has learnt: what
is read at each position is its honest answer, and :func:`restore_order` makes the best of it by
placing all words at once, and reading what comes out again. A BERT can be asked as well; all it has
learnt of this kind is to mend the 1.5 % of pieces that masking replaced by random ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from torch import Tensor

from core.analysis.assignment import best_assignment
from core.checkpoints import Checkpoint
from core.tasks.errors import TooManyWordsError
from core.tasks.fill_mask import Prediction, likeliest, require_guesses
from core.tasks.forward import encode, forward
from core.tokenisation import EmptyTextError, Encoding

MOST_WORDS = 64
ROUNDS = 6  # at most: an order that the model would not change comes sooner, or never

_OPENING = "([{“‘„«"


@dataclass(frozen=True)
class ReadToken:
    """What the model reads at one position of the text as it was given.

    Attributes:
        position: of the token, counted from 0 with special tokens.
        token: the piece that stands there.
        predictions: what should stand there, the likeliest first.
    """

    position: int
    token: str
    predictions: tuple[Prediction, ...]


@dataclass(frozen=True)
class RestoredOrder:
    """Words before and after.

    Attributes:
        encoding: the tokens of the text as given.
        restored: the words in the order found.
        orders: the given words' numbers in the order found, one order a round; the last one is
            that of ``restored``.
        settled: whether the model would leave the last order as it is.
        tokens: all but the special ones.
        byte_level: whether the vocabulary spells bytes, which :func:`readable` asks for.
        seconds: wall time of all passes.
        device: where they ran.
    """

    encoding: Encoding
    restored: str
    orders: tuple[tuple[int, ...], ...]
    settled: bool
    tokens: tuple[ReadToken, ...]
    byte_level: bool
    seconds: float
    device: str


def restore_order(
    checkpoint: Checkpoint, text: str, *, top: int = 5, rounds: int = ROUNDS
) -> RestoredOrder:
    """Read a text, and put its words where they score best, all of them at once.

    A word that stands at position s of the text and has pieces a, b scores what the model gives to
    a at s and to b at s + 1. The order with the largest sum of these logarithms is found exactly;
    as it changes what the model reads, it is read again, until it stays as it is or comes back.

    Args:
        checkpoint: a model with a masked-language head.
        text: ``MOST_WORDS`` words at most, punctuation marks counted as words.
        top: predictions a token.
        rounds: orders at most, at least one.

    Raises:
        MissingHeadError: the model cannot guess words.
        TopOutOfRangeError: ``top`` is out of its range.
        TooManyWordsError: the text has too many words.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    require_guesses(checkpoint, top)
    encoding = encode(checkpoint, text)
    words = _tokens_of_words(encoding)
    if len(words) > MOST_WORDS:
        raise TooManyWordsError(len(words), MOST_WORDS)
    plain = [position for word in words for position in word]
    order = tuple(range(len(words)))
    orders: list[tuple[int, ...]] = []
    seen, settled, seconds = {order}, False, 0.0
    while not settled and len(orders) < max(1, rounds):
        ids = list(encoding.ids)
        for position, moved in zip(plain, _in_order(words, order), strict=True):
            ids[position] = encoding.ids[moved]
        site = checkpoint.model.word_site
        ran = forward(checkpoint, replace(encoding, ids=tuple(ids)), head=site)
        seconds += ran.seconds
        logits = ran.logits.float().cpu()  # [token, vocabulary]
        if not orders:
            first = likeliest(logits[plain], top, checkpoint.tokenizer)
        pieces = [[encoding.ids[position] for position in word] for word in words]
        found = _best_order(logits[plain].log_softmax(-1), pieces, order)
        settled, order = found == order, found
        orders.append(order)
        if not settled and order in seen:
            break
        seen.add(order)
    return RestoredOrder(
        encoding=encoding,
        restored=_text_in(encoding, order),
        orders=tuple(orders),
        settled=settled,
        tokens=tuple(
            ReadToken(position, encoding.tokens[position], predictions)
            for position, predictions in zip(plain, first, strict=True)
        ),
        byte_level=checkpoint.tokenizer.byte_level,
        seconds=seconds,
        device=ran.device,
    )


def _tokens_of_words(encoding: Encoding) -> list[list[int]]:
    # Positions by word; a token without a word, such as a bare space, goes with the next one.
    words: list[list[int]] = [[] for _ in encoding.spans]
    if not words:
        raise EmptyTextError(0)
    waiting: list[int] = []
    for position, (word, special) in enumerate(zip(encoding.words, encoding.special, strict=True)):
        if special:
            continue
        waiting.append(position)
        if word is not None:
            words[word] += waiting
            waiting = []
    words[-1] += waiting
    return words


def _in_order(words: Sequence[Sequence[int]], order: Sequence[int]) -> list[int]:
    return [position for number in order for position in words[number]]


def _best_order(
    logs: Tensor, pieces: Sequence[Sequence[int]], order: Sequence[int]
) -> tuple[int, ...]:
    """Where each word scores best, if all have to stand somewhere.

    Args:
        logs: what the model gives to every piece at every position, ``[position, vocabulary]``.
        pieces: of each word.
        order: of the words that were read.
    """
    sizes = [len(pieces[number]) for number in order]
    starts = np.cumsum([0, *sizes[:-1]])
    last = len(logs) - 1
    scores = np.zeros((len(pieces), len(order)))  # [word, slot]
    for number, ids in enumerate(pieces):
        for offset, piece in enumerate(ids):
            scores[number] += logs[np.minimum(starts + offset, last), piece].double().numpy()
    slots = best_assignment(scores)
    found = sorted(range(len(slots)), key=slots.__getitem__)
    # Of words that are written alike the first stays the first: a swap of two would be no change.
    alike: dict[tuple[int, ...], list[int]] = {}
    for number in sorted(found, reverse=True):
        alike.setdefault(tuple(pieces[number]), []).append(number)
    return tuple(alike[tuple(pieces[number])].pop() for number in found)


def _text_in(encoding: Encoding, order: Sequence[int]) -> str:
    """The words in another order, each with the space that stood before it, or that it needs."""
    text, ends = encoding.texts[0], [0, *(span.end for span in encoding.spans)]
    written, before = "", -1
    for number in order:
        word, opens = encoding.spellings[number], written[-1:] in _OPENING
        space = text[ends[number] : encoding.spans[number].start]
        if written and before != number - 1:  # what stands before it is new
            if opens:
                space = ""
            elif not space and (word[0].isalnum() or word[0] in _OPENING):
                space = " "
        written += (space if written else "") + word
        before = number
    return written
