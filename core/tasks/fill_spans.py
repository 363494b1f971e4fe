"""Filling the blanks of a text with exactly as many words as a person wants, or the model.

Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
Transformer", section 3.1.4: the model reads a sentinel for each blank and writes each sentinel
with what belongs there, as long as it likes: a free blank. That others get a size is our doing: see
:class:`core.decoding.blanks.FilledBlanks`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch

from core.checkpoints import Checkpoint
from core.config import Head
from core.decoding import GREEDY, Sampling, Step, reader_of, write
from core.decoding.blanks import MOST_FREE, FilledBlanks, most_words
from core.errors import MissingHeadError, SequenceTooLongError
from core.tasks.errors import (
    BlankSizeError,
    NoBlankError,
    SamplesOutOfRangeError,
    TooManyBlanksError,
)
from core.tokenisation import MissingTokenError, Tokenizer
from core.tokenisation.blanks import SPACE, nearest_size, sentinel_ids, sizes_of

MAX_SIZE = 512  # words of a blank
MAX_WORDS = 1024  # of all blanks of a text, a free one with the most it can get
MAX_SAMPLES = 10

FREE = "*"  # in the place of a number of words
BLANK = re.compile(r"_{3,}(?:([0-9]+|\*)_{3,})?")


@dataclass(frozen=True)
class BlankText:
    """A text with blanks, as a person wrote it.

    Attributes:
        parts: what stands around the blanks, one more than there are blanks; may be empty.
        sizes: words of every blank; ``None`` for a free one.
    """

    parts: tuple[str, ...]
    sizes: tuple[int | None, ...]

    def filled(self, fillings: tuple[str, ...]) -> str:
        """The person's own text with something in every blank."""
        last = len(self.sizes)
        return "".join(p + f for p, f in zip(self.parts, fillings, strict=False)) + self.parts[last]

    def bounded(self, fillings: tuple[str, ...]) -> tuple[int, ...]:
        """The free blanks that have as many words as a free one can get; it may have wanted more.

        Args:
            fillings: what stands in the blanks.
        """
        both = enumerate(zip(self.sizes, fillings, strict=True))
        return tuple(n for n, (size, one) in both if size is None and _words(one) == MOST_FREE)


def _words(filling: str) -> int:
    return len(filling.split())


def find_blanks(text: str) -> BlankText:
    """Find blanks: ``___`` for a word, ``___8___`` for eight, ``___*___`` for what the model wants.

    More underscores are no more words.

    Raises:
        NoBlankError: there is none.
        BlankSizeError: one has no words or too many, or all together have.
    """
    parts: list[str] = []
    sizes: list[int | None] = []
    end = 0
    for found in BLANK.finditer(text):
        parts.append(text[end : found.start()])
        words = size_of(found)
        if words is not None and not 1 <= words <= MAX_SIZE:
            raise BlankSizeError(words, MAX_SIZE)
        sizes.append(words)
        end = found.end()
    if not sizes:
        raise NoBlankError
    total = sum(map(most_words, sizes))
    if total > MAX_WORDS:
        raise BlankSizeError(total, MAX_WORDS, together=True)
    return BlankText((*parts, text[end:]), tuple(sizes))


def size_of(found: re.Match[str]) -> int | None:
    """Words of a blank that ``BLANK`` has found, as typed; ``None`` of a free one."""
    if found[1] is None:
        return 1
    # Of an endless number, the first digits are enough to refuse it.
    return None if found[1] == FREE else int(found[1].lstrip("0")[:9] or "0")


def has_blanks(text: str) -> bool:
    """Whether :func:`find_blanks` has something to find."""
    return BLANK.search(text) is not None


def source_of(blanks: BlankText, tokenizer: Tokenizer, *, sized: bool = True) -> tuple[int, ...]:
    """What the encoder reads: the text with sentinels and, if there are any, size tokens.

    Args:
        blanks: the text.
        tokenizer: whose pieces.
        sized: whether size tokens are put in; a decoder reads none.

    Raises:
        MissingTokenError: the vocabulary has no sentinels or no end.
        TooManyBlanksError: it has fewer sentinels than the text has blanks.
        TextTooLongError: as in :meth:`Tokenizer.ids_of`.
    """
    marks, sizes = sentinel_ids(tokenizer), sizes_of(tokenizer) if sized else {}
    if not marks:
        raise MissingTokenError("sentinel")
    if len(blanks.sizes) > len(marks):
        raise TooManyBlanksError(len(blanks.sizes), len(marks))
    bare = tokenizer.inner.token_to_id(SPACE)
    ids = list(tokenizer.ids_of(blanks.parts[0]))
    for mark, words, part in zip(marks, blanks.sizes, blanks.parts[1:], strict=False):
        ids.append(mark)
        if sizes and words is not None:
            ids.append(sizes[nearest_size(words, sizes)])
        following = tokenizer.ids_of(part)
        # The vocabulary puts a space before every text, also before a full stop behind a blank.
        glued = part and not part[0].isspace() and following[:1] == (bare,)
        ids += following[1:] if glued else following
    return (*ids, tokenizer.sep_id)


@dataclass(frozen=True)
class Filling:
    """How far the blanks are filled after one piece more.

    Attributes:
        step: what was written in which text, with its candidates if they were asked for.
        words: begun so far, in all texts.
        wanted: words that all texts will have at least; more once a free blank gets more than one.
        blanks: the person's own text.
        fillings: for every text and blank, what stands there so far.
        source: ids that the encoder read.
        seconds: since the beginning.
        device: where the model runs.
    """

    step: Step
    words: int
    wanted: int
    blanks: BlankText
    fillings: tuple[tuple[str, ...], ...]
    source: tuple[int, ...]
    seconds: float
    device: str

    @property
    def texts(self) -> tuple[str, ...]:
        """For every text, the person's own with what stands in its blanks so far."""
        nothing = ("",) * len(self.blanks.sizes)
        return tuple(self.blanks.filled((*some, *nothing[len(some) :])) for some in self.fillings)

    @property
    def done(self) -> bool:
        """Whether every blank is filled; the step is then the last one."""
        return all(self.step.complete)


def filling_spans(
    checkpoint: Checkpoint,
    text: str,
    *,
    samples: int = 1,
    sampling: Sampling = GREEDY,
    seed: int = 0,
    top: int = 0,
) -> Iterator[Filling]:
    """Fill every blank, piece by piece.

    Whoever stops asking stops the model.

    Args:
        checkpoint: a T5 whose vocabulary has sentinels.
        text: with blanks, see :func:`find_blanks`.
        samples: different texts at once, 1 to ``MAX_SAMPLES``; without sampling one is written.
        sampling: how pieces are chosen.
        seed: of all random draws.
        top: how many candidates of every step are told.

    Raises:
        NoBlankError, BlankSizeError, TooManyBlanksError: see :func:`find_blanks`.
        SamplesOutOfRangeError: too few or too many samples.
        MissingHeadError: the model does not write.
        MissingTokenError: the vocabulary has no sentinels.
        TextTooLongError, SequenceTooLongError: the text is too long for the model.
    """
    model = checkpoint.model
    if not model.text_to_text or model.recurrent or Head.LANGUAGE not in checkpoint.config.heads:
        raise MissingHeadError("the words of blanks")
    if not 1 <= samples <= MAX_SAMPLES:
        raise SamplesOutOfRangeError(samples, MAX_SAMPLES)
    blanks = find_blanks(text)
    tokenizer, tables = checkpoint.tokenizer, checkpoint.config.embedding
    source = source_of(blanks, tokenizer)
    if len(source) > tables.max_positions:
        raise SequenceTooLongError(len(source), tables.max_positions)
    return _fill(checkpoint, blanks, source, 1 if sampling.greedy else samples, sampling, seed, top)


def _fill(
    checkpoint: Checkpoint,
    blanks: BlankText,
    source: tuple[int, ...],
    samples: int,
    sampling: Sampling,
    seed: int,
    top: int,
) -> Iterator[Filling]:
    start, tokenizer = time.perf_counter(), checkpoint.tokenizer
    device = next(checkpoint.model.parameters()).device
    guide = FilledBlanks(
        tokenizer,
        blanks.sizes,
        vocabulary=checkpoint.config.embedding.vocabulary,
        rows=samples,
        device=device,
    )
    reader = reader_of(checkpoint.model, torch.tensor([source], device=device))
    reader.repeat(samples)
    steps = write(
        reader,
        most=guide.most,
        sampling=sampling,
        generator=torch.Generator().manual_seed(seed % 2**63),
        guide=guide,
        top=top,
    )
    names = {number: piece for piece, number in tokenizer.inner.get_vocab().items()}
    ended: list[list[str]] = [[] for _ in range(samples)]  # what no step changes any more
    for step in steps:
        fillings = tuple(_fillings(guide.pieces(row), ended[row], names) for row in range(samples))
        yield Filling(
            step=step,
            words=sum(map(guide.words, range(samples))),
            wanted=sum(map(guide.wanted, range(samples))),
            blanks=blanks,
            fillings=fillings,
            source=source,
            seconds=time.perf_counter() - start,
            device=str(device),
        )


def _fillings(
    pieces: tuple[tuple[int, ...], ...], ended: list[str], names: Mapping[int, str]
) -> tuple[str, ...]:
    """What stands in the blanks that were begun; only the last of them still grows."""
    while len(ended) < len(pieces) - 1:
        ended.append(decoded(pieces[len(ended)], names))
    return (*ended, *(decoded(ids, names) for ids in pieces[len(ended) :]))


def decoded(ids: tuple[int, ...], names: Mapping[int, str]) -> str:
    """Pieces, of which the vocabulary says the names by number, as text."""
    return "".join(names[number] for number in ids).replace(SPACE, " ").strip()


def fill_spans(
    checkpoint: Checkpoint,
    text: str,
    *,
    samples: int = 1,
    sampling: Sampling = GREEDY,
    seed: int = 0,
) -> Filling:
    """Fill every blank: the last of :func:`filling_spans`, with its arguments and its errors."""
    *_, last = filling_spans(checkpoint, text, samples=samples, sampling=sampling, seed=seed)
    return last
