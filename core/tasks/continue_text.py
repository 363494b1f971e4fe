"""Going on with a text, piece by piece.

Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 3.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from core.checkpoints import Checkpoint
from core.decoding import GREEDY, Sampling, Step, UntilEnd, reader_of, write
from core.tasks.errors import LengthOutOfRangeError, SamplesOutOfRangeError
from core.tasks.forward import encode
from core.tasks.next_word import require_next_words
from core.tokenisation import Encoding, Tokenizer

MAX_PIECES = 1024
MAX_SAMPLES = 10


@dataclass(frozen=True)
class Continuation:
    """How far a text has been continued after one piece more.

    Attributes:
        step: what was written in which text, with its candidates if they were asked for.
        texts: for every sample, the person's own text and what follows so far. A character of
            which only some bytes were written is left out until it is whole.
        encoding: the text as the model read it.
        done: whether this is the last step: all texts have ended, or are as long as they may be.
        seconds: since the beginning.
        device: where the model runs.
    """

    step: Step
    texts: tuple[str, ...]
    encoding: Encoding
    done: bool
    seconds: float
    device: str


def continuing_text(
    checkpoint: Checkpoint,
    text: str,
    *,
    most: int = 64,
    samples: int = 1,
    sampling: Sampling = GREEDY,
    seed: int = 0,
    top: int = 0,
) -> Iterator[Continuation]:
    """Go on with a text, piece by piece.

    Whoever stops asking stops the model.

    Args:
        checkpoint: a causal model.
        text: its beginning.
        most: pieces that are written, 1 to ``MAX_PIECES``; fewer where the model has no positions
            for them or ends the text itself.
        samples: different texts at once, 1 to ``MAX_SAMPLES``; without sampling one is written.
        sampling: how pieces are chosen.
        seed: of all random draws.
        top: how many candidates of every step are told.

    Raises:
        LengthOutOfRangeError, SamplesOutOfRangeError: a number out of its range.
        MissingHeadError: the model does not go on with texts.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    require_next_words(checkpoint)
    if not 1 <= most <= MAX_PIECES:
        raise LengthOutOfRangeError(most, MAX_PIECES)
    if not 1 <= samples <= MAX_SAMPLES:
        raise SamplesOutOfRangeError(samples, MAX_SAMPLES)
    encoding = encode(checkpoint, text)
    # The last piece is written but not read.
    room = checkpoint.config.embedding.max_positions - len(encoding) + 1
    rows = 1 if sampling.greedy else samples
    return _continue(checkpoint, encoding, min(most, room), rows, sampling, seed, top)


def _continue(
    checkpoint: Checkpoint,
    encoding: Encoding,
    most: int,
    rows: int,
    sampling: Sampling,
    seed: int,
    top: int,
) -> Iterator[Continuation]:
    start, tokenizer = time.perf_counter(), checkpoint.tokenizer
    device = next(checkpoint.model.parameters()).device
    reader = reader_of(checkpoint.model, torch.tensor([encoding.ids], device=device))
    reader.repeat(rows)
    written: list[list[int]] = [[] for _ in range(rows)]
    before = str(tokenizer.inner.decode(list(encoding.ids)))
    for step in write(
        reader,
        most=most,
        sampling=sampling,
        generator=torch.Generator().manual_seed(seed % 2**63),
        guide=UntilEnd(tokenizer.end_ids),
        top=top,
    ):
        for row, piece in zip(step.rows, step.chosen, strict=True):
            written[row].append(piece)
        yield Continuation(
            step=step,
            texts=tuple(
                encoding.texts[0] + _following(before, [*encoding.ids, *ids], tokenizer)
                for ids in written
            ),
            encoding=encoding,
            done=all(step.complete) or step.number == most - 1,
            seconds=time.perf_counter() - start,
            device=str(device),
        )


def _following(before: str, ids: list[int], tokenizer: Tokenizer) -> str:
    """What pieces add to the text, decoded together with it: only so are its last spaces right."""
    whole = str(tokenizer.inner.decode(ids))
    return whole.removeprefix(before).rstrip("\N{REPLACEMENT CHARACTER}")


def continue_text(
    checkpoint: Checkpoint,
    text: str,
    *,
    most: int = 64,
    samples: int = 1,
    sampling: Sampling = GREEDY,
    seed: int = 0,
) -> Continuation:
    """The last of :func:`continuing_text`, with its arguments and its errors."""
    *_, last = continuing_text(
        checkpoint, text, most=most, samples=samples, sampling=sampling, seed=seed
    )
    return last
