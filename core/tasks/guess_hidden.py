"""Hidden words as each model of BERT's family guesses them: from a mask, or from the query stream.

Devlin et al. 2019, "BERT", section 3.1, puts a mask in the word's place. Yang et al. 2019, "XLNet",
section 2.3, leaves the text as it is, and the query stream predicts a place whose token nobody may
look at.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.checkpoints import Checkpoint
from core.config import Head
from core.errors import MissingHeadError
from core.hooks import capture
from core.tasks.errors import NoMaskError, NoSuchWordError
from core.tasks.fill_mask import Prediction, hide_words, likeliest, mask_positions, require_guesses
from core.tasks.forward import device_of, encode, forward, inputs_of, one_stack
from core.tasks.recording import Place, Recorder, read_only, require_room, to_host
from core.tokenisation import Encoding


@dataclass(frozen=True)
class HiddenToken:
    """One hidden token.

    Attributes:
        position: counted from 0 with special tokens.
        word: number of the word that it belongs to, or of the typed mask itself.
        piece: what stood there; ``None`` under a mask that a person typed.
        probability: what the model gives that piece; ``None`` likewise.
        rank: of that piece among all of the vocabulary, 1 for the likeliest; ``None`` likewise.
        predictions: the likeliest first.
    """

    position: int
    word: int | None
    piece: str | None
    probability: float | None
    rank: int | None
    predictions: tuple[Prediction, ...]


@dataclass(frozen=True, eq=False)
class HiddenReading:
    """One pass over a text with words hidden. Arrays are read-only.

    Attributes:
        encoding: the text as typed, nothing hidden.
        shown: the tokens that ran; the same as ``encoding`` where nothing is replaced (XLNet).
        hidden: in the order of the tokens, at least one.
        patterns: attention ``[layer, head, query, key]``; the rows of hidden tokens are those of
            the stream that predicts them.
        masked: boolean ``[query, key]``, True where the query may not see the key.
        positions: rows of the position table that were added to the tokens ``[token, width]``;
            ``None`` for a model without a table.
        logits: scores of every piece at every hidden token, ``[hidden, vocabulary]``.
        streams: whether the hidden tokens were read by a query stream.
        byte_level, marks_spaces: as in :class:`core.tasks.fill_mask.FillMaskResult`.
        seconds: wall time of the pass.
        device: where it ran.
    """

    encoding: Encoding
    shown: Encoding
    hidden: tuple[HiddenToken, ...]
    patterns: NDArray[np.float32]
    masked: NDArray[np.bool_]
    positions: NDArray[np.float32] | None
    logits: NDArray[np.float32]
    streams: bool
    byte_level: bool
    marks_spaces: bool
    seconds: float
    device: str


def guess_hidden(
    checkpoint: Checkpoint, text: str, *, words: Collection[int] = (), top: int = 5
) -> HiddenReading:
    """Predict every hidden token, each as if the other hidden ones were unknown.

    Args:
        checkpoint: a model with a masked-language head, or an XLNet with its language head.
        text: may contain masks, written as the vocabulary's mask token.
        words: numbers of words to hide; one of k pieces becomes k hidden tokens.
        top: predictions a token, 1 to :data:`core.tasks.fill_mask.MAX_TOP`.

    Raises:
        NoMaskError: nothing is hidden.
        NoSuchWordError: a word that the text does not have.
        MissingHeadError: the model cannot guess words.
        TopOutOfRangeError, EmptyTextError, TextTooLongError, SequenceTooLongError,
        TooManyWeightsError: as in :func:`core.tasks.fill_mask` and :func:`core.tasks.attend`.
    """
    if checkpoint.model.streams:
        return _by_query_stream(checkpoint, text, words, top)
    require_guesses(checkpoint, top)
    typed = encode(checkpoint, text)
    shown = hide_words(checkpoint, text, words)
    places = mask_positions(checkpoint, shown)
    side, stack = one_stack(checkpoint)
    require_room(Place.in_stack(side, stack, len(shown)))
    ran = forward(checkpoint, shown, patterns=True, head=checkpoint.model.word_site)
    assert ran.patterns is not None  # asked for
    unseen = np.zeros((len(shown), len(shown)), dtype=np.bool_)
    unseen.setflags(write=False)
    logits = ran.logits[places]
    return HiddenReading(
        encoding=typed,
        shown=shown,
        hidden=_hidden(checkpoint, typed, places, logits, top),
        patterns=ran.patterns,
        masked=unseen,
        positions=ran.positions,
        logits=read_only(to_host(logits)),
        streams=False,
        byte_level=checkpoint.tokenizer.byte_level,
        marks_spaces=checkpoint.tokenizer.marks_spaces,
        seconds=ran.seconds,
        device=ran.device,
    )


@torch.inference_mode()
def _by_query_stream(
    checkpoint: Checkpoint, text: str, words: Collection[int], top: int
) -> HiddenReading:
    if Head.LANGUAGE not in checkpoint.config.heads:
        raise MissingHeadError("words in any order")
    tokenizer, model = checkpoint.tokenizer, checkpoint.model
    typed = encode(checkpoint, text)
    for word in words:
        if not 0 <= word < len(typed.spans):
            raise NoSuchWordError(word, len(typed.spans))
    places = [
        at
        for at, (number, word) in enumerate(zip(typed.ids, typed.words, strict=True))
        if number == tokenizer.mask_id or (word is not None and word in words)
    ]
    if not places:
        raise NoMaskError(tokenizer.mask_token)
    side, stack = one_stack(checkpoint)
    content, query = model.streams
    place = Place.in_stack(side, stack, len(typed), streams=model.streams)
    require_room(place)
    recorder = Recorder(place)
    before, itself = seen_before(len(typed), places), torch.eye(len(typed), dtype=torch.bool)
    device = device_of(checkpoint)
    inputs = replace(
        inputs_of(checkpoint, typed.ids, typed.segments),
        order=before[None].to(device),
        predicted=torch.arange(len(typed), device=device)[None],
    )
    start = time.perf_counter()
    with recorder.watching(), capture((model.word_site,)) as said:
        model.read(inputs)
    seconds = time.perf_counter() - start
    patterns = recorder.found(content).patterns.copy()
    patterns[:, :, places] = recorder.found(query).patterns[:, :, places]
    unseen = (~(before | itself)).numpy()
    unseen[places, places] = True  # the query stream does not see its own token
    unseen.setflags(write=False)
    logits = said[model.word_site][0, places]
    return HiddenReading(
        encoding=typed,
        shown=typed,
        hidden=_hidden(checkpoint, typed, places, logits, top),
        patterns=read_only(patterns),
        masked=unseen,
        positions=None,
        logits=read_only(to_host(logits)),
        streams=True,
        byte_level=tokenizer.byte_level,
        marks_spaces=tokenizer.marks_spaces,
        seconds=seconds,
        device=str(device),
    )


def seen_before(tokens: int, hidden: Collection[int]) -> Tensor:
    """Who sees whom where some tokens are seen by nobody: ``order`` of ``Inputs``.

    Of three tokens, number 1 hidden (x: may see; each visible one sees itself as well)::

             key 0  key 1  key 2
        q 0    .      .      x
        q 1    x      .      x
        q 2    x      .      .
    """
    visible = torch.ones(tokens, dtype=torch.bool)
    visible[list(hidden)] = False
    return visible.expand(tokens, -1) & ~torch.eye(tokens, dtype=torch.bool)


def _hidden(
    checkpoint: Checkpoint, typed: Encoding, places: list[int], logits: Tensor, top: int
) -> tuple[HiddenToken, ...]:
    """What is known of every place; ``logits`` is ``[place, vocabulary]``."""
    tokenizer = checkpoint.tokenizer
    found = []
    for place, row, first in zip(
        places, logits.float(), likeliest(logits, top, tokenizer), strict=True
    ):
        number = typed.ids[place]
        unknown = number == tokenizer.mask_id
        found.append(
            HiddenToken(
                place,
                typed.words[place],
                None if unknown else tokenizer.token(number),
                None if unknown else float(row.softmax(-1)[number]),
                None if unknown else 1 + int((row > row[number]).sum()),
                first,
            )
        )
    return tuple(found)
