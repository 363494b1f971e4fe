"""How the blanks of a text were filled: every piece with what else could have stood there.

Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
Transformer", section 3.1.4: the decoder writes the sentinel of a blank, then what belongs there.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from core.checkpoints import Checkpoint
from core.decoding import GREEDY, Sampling
from core.engine.progress import tell_progress
from core.tasks.attend import AttendResult, attend_two_texts
from core.tasks.errors import NoBlankError
from core.tasks.fill_spans import BlankText, Filling, filling_spans, find_blanks, source_of
from core.tasks.two_texts import TwoTexts
from core.tokenisation import Encoding, Tokenizer
from core.tokenisation.blanks import sentinel_ids, sizes_of

TOP = 10


@dataclass(frozen=True)
class Option:
    """A piece that could have come.

    Attributes:
        piece: readable.
        probability: what the model gives it among the pieces that were allowed.
        sampling_probability: with which it was drawn, after temperature, top-k and top-p.
    """

    piece: str
    probability: float
    sampling_probability: float


@dataclass(frozen=True)
class WrittenPiece:
    """One step of the decoder.

    Attributes:
        piece: what was written, readable.
        blank: the blank that it opens or stands in; as many as there are blanks for the closing.
        mark: whether it is a sentinel, or the end.
        chosen: its index among the options.
        options: the likeliest first, at most ``TOP`` and the written one; those that the sizes of
            the blanks forbid are none.
    """

    piece: str
    blank: int
    mark: bool
    chosen: int
    options: tuple[Option, ...]

    @property
    def forced(self) -> bool:
        """Whether nothing else was allowed."""
        return len(self.options) == 1


@dataclass(frozen=True)
class SteppedText:
    """One way to fill all blanks.

    Attributes:
        ids: everything that the decoder wrote.
        pieces: the same, step by step.
        fillings: what stands in every blank.
    """

    ids: tuple[int, ...]
    pieces: tuple[WrittenPiece, ...]
    fillings: tuple[str, ...]


@dataclass(frozen=True)
class SteppedFilling:
    """All ways to fill the blanks of a text.

    Attributes:
        blanks: the person's own text.
        source: what the encoder read.
        owners: for every token of the source the blank whose sentinel or size it is, or ``None``.
        texts: one for every sample.
        layers: of the encoder and of the decoder.
        heads: of each layer.
        seconds: wall time of all steps.
        device: where the model ran.
    """

    blanks: BlankText
    source: Encoding
    owners: tuple[int | None, ...]
    texts: tuple[SteppedText, ...]
    layers: tuple[int, int]
    heads: int
    seconds: float
    device: str


def step_spans(
    checkpoint: Checkpoint,
    text: str,
    *,
    samples: int = 1,
    sampling: Sampling = GREEDY,
    seed: int = 0,
) -> SteppedFilling:
    """Fill every blank and keep the likeliest pieces of every step.

    Where an engine runs it, it tells the words begun so far, and how many all texts will have.

    Args:
        checkpoint, text, samples, sampling, seed: see :func:`core.tasks.fill_spans.filling_spans`,
            also for the errors.
    """
    start = time.perf_counter()
    filling: Filling | None = None
    steps = []
    for filling in filling_spans(
        checkpoint, text, samples=samples, sampling=sampling, seed=seed, top=TOP
    ):
        steps.append(filling.step)
        tell_progress(filling.words, filling.wanted)
    if filling is None:  # a text with blanks has steps
        raise NoBlankError
    tokenizer = checkpoint.tokenizer
    marks = sentinel_ids(tokenizer)
    rows = len(filling.fillings)
    written: list[list[int]] = [[] for _ in range(rows)]
    pieces: list[list[WrittenPiece]] = [[] for _ in range(rows)]
    for step in steps:
        for row, number, found in zip(step.rows, step.chosen, step.candidates, strict=True):
            before = pieces[row]
            mark = number in marks or number == tokenizer.sep_id
            blank = (before[-1].blank if before else -1) + mark
            options = tuple(
                Option(_readable(tokenizer, one.piece), one.probability, one.sampling_probability)
                for one in found
            )
            chosen = [one.piece for one in found].index(number)
            before.append(WrittenPiece(options[chosen].piece, blank, mark, chosen, options))
            written[row].append(number)
    source = tokenizer.decoded(filling.source, typed=filling.blanks.parts)
    encoder, decoder = checkpoint.config.encoder, checkpoint.config.decoder
    assert encoder is not None  # else nothing could have been filled
    assert decoder is not None
    return SteppedFilling(
        blanks=filling.blanks,
        source=source,
        owners=_owners(source.ids, marks, tokenizer),
        texts=tuple(
            SteppedText(tuple(ids), tuple(steps), fillings)
            for ids, steps, fillings in zip(written, pieces, filling.fillings, strict=True)
        ),
        layers=(encoder.depth, decoder.depth),
        heads=decoder.layer.attention.heads,
        seconds=time.perf_counter() - start,
        device=filling.device,
    )


def attend_written(checkpoint: Checkpoint, text: str, written: Sequence[int]) -> AttendResult:
    """Every attention pattern of a text with blanks and of what was written for them.

    Row k of the maps ``decoder`` and ``cross`` is that of step k: of the token that was read when
    piece k was written. The last piece is read by nobody.

    Args:
        checkpoint: the model that wrote.
        text: with blanks.
        written: ids, as in :class:`SteppedText`.

    Raises:
        TooManyWeightsError: more maps than there is room for.
        NoBlankError, BlankSizeError, TooManyBlanksError, MissingTokenError: as in
            :func:`step_spans`.
    """
    tokenizer, start = checkpoint.tokenizer, checkpoint.config.start_id
    assert start is not None  # a model that writes has one
    source = tokenizer.decoded(source_of(find_blanks(text), tokenizer))
    target = tokenizer.decoded(written[:-1]).after(start, tokenizer.token(start))
    return attend_two_texts(checkpoint, TwoTexts(source, target, ended=True), written=True)


def _readable(tokenizer: Tokenizer, number: int) -> str:
    return tokenizer.readable(tokenizer.token(number))


def _owners(
    ids: Sequence[int], marks: Sequence[int], tokenizer: Tokenizer
) -> tuple[int | None, ...]:
    sizes, owners, last = set(sizes_of(tokenizer).values()), [], None
    for number in ids:
        last = marks.index(number) if number in marks else (last if number in sizes else None)
        owners.append(last)
    return tuple(owners)
