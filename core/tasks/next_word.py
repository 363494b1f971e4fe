"""What a causal model expects next, and how far every token of a text was expected.

Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training", section 3.1.
Because no token sees those after it, one pass says what was expected at every position.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.checkpoints import Checkpoint
from core.config import Head
from core.errors import MissingHeadError
from core.tasks.errors import NoSuchTokenError
from core.tasks.forward import encode, forward, read_only
from core.tokenisation import Encoding


@dataclass(frozen=True, eq=False)
class NextWord:
    """What could stand at one position of a text, and how each of its tokens was expected.

    Attributes:
        encoding: exactly the tokens that ran.
        position: which token is asked for; ``len(encoding)`` for the one after the last. The model
            has seen the tokens before it and no other.
        ids: all pieces of the vocabulary ``[piece]``, the likeliest first, equal ones by their id.
        scores: what the model gives them, before the softmax, in the same order; float32.
        rank: in this order, of the piece that stands there, from 0; ``None`` after the last.
        surprises: of every token ``[token]``, in nats: minus the log of the probability it had. NaN
            for the first, which nothing comes before. Read-only, like both other arrays.
        seconds: wall time of the pass.
        device: where it ran.
    """

    encoding: Encoding
    position: int
    ids: NDArray[np.int64]
    scores: NDArray[np.float32]
    rank: int | None
    surprises: NDArray[np.float32]
    seconds: float
    device: str


@dataclass(frozen=True)
class DecodedVocabulary:
    """The vocabulary of a causal model, one entry a piece, by id.

    Attributes:
        pieces: readable.
        texts: what each adds to a text. Empty for pieces that add nothing that can be read alone:
            special ones, and bytes that are only a part of a character.
    """

    pieces: tuple[str, ...]
    texts: tuple[str, ...]


def next_word(checkpoint: Checkpoint, text: str, position: int | None = None) -> NextWord:
    """Score every piece for one position of a text.

    Args:
        checkpoint: a causal model.
        text: what a person typed.
        position: the token that is asked for, 1 to the number of tokens; ``None`` for the one after
            the last.

    Raises:
        MissingHeadError: the model does not go on with texts.
        NoSuchTokenError: no such position, or the first one, which nothing comes before.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    require_next_words(checkpoint)
    encoding = encode(checkpoint, text)
    tokens = len(encoding)
    position = tokens if position is None else position
    if not 1 <= position <= tokens:
        raise NoSuchTokenError(position, tokens)
    ran = forward(checkpoint, encoding, head=checkpoint.model.word_site)
    logits = ran.logits.float()  # [token, vocabulary], each row of the next token
    scores = logits[position - 1].cpu().numpy()
    ids = np.argsort(-scores, kind="stable")
    read = logits.new_tensor(encoding.ids[1:]).long()
    expected = logits[:-1].log_softmax(-1).gather(-1, read[:, None])[:, 0]
    surprises = np.concatenate([[np.nan], -expected.cpu().numpy()]).astype(np.float32)
    ids.setflags(write=False)
    return NextWord(
        encoding=encoding,
        position=position,
        ids=ids,
        scores=read_only(scores[ids]),
        rank=None if position == tokens else int(np.flatnonzero(ids == encoding.ids[position])[0]),
        surprises=read_only(surprises),
        seconds=ran.seconds,
        device=ran.device,
    )


def decode_vocabulary(checkpoint: Checkpoint) -> DecodedVocabulary:
    """Say what every piece of a causal model's vocabulary adds to a text.

    Raises:
        MissingHeadError: the model does not go on with texts.
    """
    require_next_words(checkpoint)
    tokenizer = checkpoint.tokenizer
    inner = tokenizer.inner
    numbers = range(checkpoint.config.embedding.vocabulary)
    tokens = [tokenizer.token(number) for number in numbers]
    # Behind a piece of its own: a decoder may drop the space in front of a text.
    before = list(tokenizer.ids_of("a"))
    start = str(inner.decode(before))
    behind = inner.decode_batch([[*before, number] for number in numbers])
    texts = [str(text).removeprefix(start) for text in behind]
    return DecodedVocabulary(
        pieces=tuple(map(tokenizer.readable, tokens)),
        texts=tuple("" if "\N{REPLACEMENT CHARACTER}" in text else text for text in texts),
    )


def require_next_words(checkpoint: Checkpoint) -> None:
    """Refuse a model that does not go on with texts.

    Raises:
        MissingHeadError: it is not causal, or has no head for the next piece.
    """
    if not checkpoint.model.causal or Head.LANGUAGE not in checkpoint.config.heads:
        raise MissingHeadError("next words")
