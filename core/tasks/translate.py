"""Translating a text with beam search.

Vaswani et al. 2017, "Attention Is All You Need", section 6.1 (beams of four and a length penalty).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from core.checkpoints import Checkpoint
from core.config import Head
from core.decoding import Beam, BeamStep, Reader, beam_search, best_texts, reader_of
from core.errors import MissingHeadError, SequenceTooLongError
from core.tasks.errors import SamplesOutOfRangeError, UnknownLanguageError
from core.tasks.forward import encode
from core.tasks.two_texts import longest_target
from core.tokenisation import Encoding, Tokenizer
from core.tokenisation.languages import languages_of

MAX_BEAMS = 16


@dataclass(frozen=True)
class Translation:
    """Where a translation stands after one piece more.

    Attributes:
        step: the beams.
        text: the best translation, of the complete ones if there are any, else its beginning.
        source: what the encoder read, piece by piece.
        encoding: the person's text.
        seconds: since the beginning.
        device: where the model runs.
    """

    step: BeamStep
    text: str
    source: tuple[str, ...]
    encoding: Encoding
    seconds: float
    device: str

    @property
    def done(self) -> bool:
        """Whether this is the last step."""
        return all(self.step.over)

    @property
    def beams(self) -> tuple[Beam, ...]:
        """Complete translations so far, the best first."""
        return self.step.complete[0]


def translating(
    checkpoint: Checkpoint, text: str, *, language: str | None = None, beams: int = 4
) -> Iterator[Translation]:
    """Translate a text, piece by piece, as :func:`translate`; whoever stops asking stops the model.

    Args and errors are those of :func:`translate`.
    """
    _check(checkpoint, beams)
    encoding, ids = _source(checkpoint, text, _before(checkpoint, language))
    return _translate(
        checkpoint, encoding, ids, beams, most=longest_target(checkpoint.config, len(ids))
    )


def translate_each(
    checkpoint: Checkpoint,
    texts: Sequence[str],
    *,
    language: str | None = None,
    beams: int = 4,
    side_by_side: int = 64,
) -> list[str]:
    """Translate many texts, those of about one length side by side.

    Args:
        checkpoint: an encoder-decoder.
        texts: as people typed them.
        language: as in :func:`translate`.
        beams: as there.
        side_by_side: how many at once.

    Raises:
        As :func:`translate`.
    """
    _check(checkpoint, beams)
    tokenizer = checkpoint.tokenizer
    device = next(checkpoint.model.parameters()).device
    before = _before(checkpoint, language)
    sources = [_source(checkpoint, text, before)[1] for text in texts]
    order = sorted(range(len(texts)), key=lambda index: len(sources[index]))
    found = [""] * len(texts)
    for first in range(0, len(order), side_by_side):
        indices = order[first : first + side_by_side]
        longest = len(sources[indices[-1]])
        ids = torch.full((len(indices), longest), tokenizer.pad_id)
        keep = torch.zeros(len(indices), longest, dtype=torch.bool)
        for row, index in enumerate(indices):
            ids[row, : len(sources[index])] = torch.tensor(sources[index])
            keep[row, : len(sources[index])] = True
        reader = reader_of(checkpoint.model, ids.to(device), keep.to(device))
        most = [longest_target(checkpoint.config, len(sources[index])) for index in indices]
        written = best_texts(_search(tokenizer, reader, beams, most))
        for index, pieces in zip(indices, written, strict=True):
            found[index] = _text_of(tokenizer, pieces)
    return found


def _check(checkpoint: Checkpoint, beams: int) -> None:
    if not checkpoint.model.text_to_text or Head.LANGUAGE not in checkpoint.config.heads:
        raise MissingHeadError("translations")
    if not 1 <= beams <= MAX_BEAMS:
        raise SamplesOutOfRangeError(beams, MAX_BEAMS)


def _before(checkpoint: Checkpoint, language: str | None) -> tuple[int, ...]:
    """What is read before a text that is to be translated into a language."""
    if language is None:
        return ()
    known = languages_of(checkpoint.tokenizer)
    if language not in known:
        raise UnknownLanguageError(language, tuple(known))
    return (known[language],)


def _source(
    checkpoint: Checkpoint, text: str, before: tuple[int, ...]
) -> tuple[Encoding, tuple[int, ...]]:
    """A person's text, and what the encoder reads of it."""
    encoding = encode(checkpoint, text)
    ids = (*before, *encoding.ids)
    limit = checkpoint.config.embedding.max_positions
    if len(ids) > limit:
        raise SequenceTooLongError(len(ids), limit)
    return encoding, ids


def _search(
    tokenizer: Tokenizer, reader: Reader, beams: int, most: int | Sequence[int]
) -> Iterator[BeamStep]:
    ends, never = [tokenizer.sep_id], tokenizer.unwritten
    return beam_search(reader, beams=beams, most=most, ends=ends, never=never)


def _text_of(tokenizer: Tokenizer, pieces: Sequence[int]) -> str:
    return str(tokenizer.inner.decode(list(pieces))).strip()


def _translate(
    checkpoint: Checkpoint, encoding: Encoding, ids: tuple[int, ...], beams: int, most: int
) -> Iterator[Translation]:
    start, tokenizer = time.perf_counter(), checkpoint.tokenizer
    device = next(checkpoint.model.parameters()).device
    source = tuple(map(tokenizer.token, ids))
    reader = reader_of(checkpoint.model, torch.tensor([ids], device=device))
    for step in _search(tokenizer, reader, beams, most):
        best = (step.complete[0] or step.running[0])[0]
        yield Translation(
            step=step,
            text=_text_of(tokenizer, best.pieces),
            source=source,
            encoding=encoding,
            seconds=time.perf_counter() - start,
            device=str(device),
        )


def translate(
    checkpoint: Checkpoint, text: str, *, language: str | None = None, beams: int = 4
) -> Translation:
    """Translate a text with beam search.

    At most twice as many pieces are written as were read, and ten more.

    Args:
        checkpoint: an encoder-decoder.
        text: what a person typed.
        language: into which one, where the vocabulary has tokens for several.
        beams: how many beginnings are kept, 1 to ``MAX_BEAMS``; 1 is greedy.

    Raises:
        MissingHeadError: the model does not translate.
        UnknownLanguageError: the vocabulary has no token for the language.
        SamplesOutOfRangeError: too few or too many beams.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    *_, last = translating(checkpoint, text, language=language, beams=beams)
    return last
