"""A translation as it was written: every step's attention, candidates and beams.

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.3: three kinds of attention, of which
the two of the decoder see only what is written so far. Bahdanau, Cho and Bengio 2015, "Neural
Machine Translation by Jointly Learning to Align and Translate", section 5.2.1: the weights of a
recurrent translator read as an alignment.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.analysis.beam_tree import Node, beam_tree
from core.checkpoints import Checkpoint
from core.decoding import Beam
from core.errors import SequenceTooLongError
from core.hooks import Trace, capture, to_host
from core.recurrent_config import RecurrentConfig
from core.tasks.attend import AttendResult, attend_two_texts, require_attention
from core.tasks.errors import TopOutOfRangeError
from core.tasks.forward import read_only
from core.tasks.translate import Translation, translating
from core.tasks.two_texts import TwoTexts
from core.tokenisation import Encoding
from core.tokenisation.languages import languages_of

MAX_TOP = 50
MAX_PADDING = 64

_SCORES = "decoder.layers.0.cross_attention.scores"


@dataclass(frozen=True)
class CandidateToken:
    """A piece that could have been written.

    Attributes:
        token: as it stands in the vocabulary.
        probability: of the softmax over the whole vocabulary.
    """

    token: str
    probability: float


@dataclass(frozen=True)
class WrittenPiece:
    """One step of writing.

    Attributes:
        token: what was written, as it stands in the vocabulary.
        probability: the model's, after everything before it.
        rank: 0 for the likeliest piece of the vocabulary.
        candidates: the likeliest pieces, the likeliest first.
        text: the translation up to here.
    """

    token: str
    probability: float
    rank: int
    candidates: tuple[CandidateToken, ...]
    text: str


@dataclass(frozen=True)
class FoundTranslation:
    """A whole translation that the search has found.

    Attributes:
        text: without its end.
        log_probability: the sum over its pieces.
        score: the same divided by the number of pieces; the best is the largest.
    """

    text: str
    log_probability: float
    score: float


@dataclass(frozen=True, eq=False)
class WatchedTranslation:
    """A search for a translation, and one of those that it found, step by step.

    Attributes:
        encoding: the person's text.
        source: what the encoder reads, the language's token first and padding last.
        padding: so many tokens of it are padding.
        target: what the decoder reads, its start token first; row ``t`` of its maps is the token
            from which piece ``t`` is written.
        steps: the pieces, the end included.
        attention: ``encoder``, ``decoder`` and ``cross``, or ``cross`` alone, with the logits.
        scores: ``[target, source]``, what a recurrent decoder's alignment gives before the
            softmax; ``None`` for a Transformer, which has a map of them in every head.
        recurrent: how a recurrent model attends to its source; ``None`` for a Transformer.
        found: whole translations, the best first.
        followed: which of these is watched.
        tree: everything that the search has kept.
        path: indices of the nodes of the watched translation, one a step.
        tokens: the newest piece of every node of the tree, as it stands in the vocabulary.
        vocabulary: how many pieces the softmax is over.
        seconds: of the search.
    """

    encoding: Encoding
    source: Encoding
    padding: int
    target: Encoding
    steps: tuple[WrittenPiece, ...]
    attention: AttendResult
    scores: NDArray[np.float32] | None
    recurrent: RecurrentConfig | None
    found: tuple[FoundTranslation, ...]
    followed: int
    tree: tuple[Node, ...]
    path: tuple[int, ...]
    tokens: tuple[str, ...]
    vocabulary: int
    seconds: float

    @property
    def text(self) -> str:
        """The translation that is watched."""
        return self.found[self.followed].text


def watch_translation(
    checkpoint: Checkpoint,
    text: str,
    *,
    language: str | None = None,
    beams: int = 4,
    followed: int = 0,
    padding: int = 0,
    top: int = 10,
) -> WatchedTranslation:
    """Translate a text and record every attention pattern of one of the translations found.

    The patterns are those of one more pass over its very pieces, with padding behind the source as
    in a batch with a longer text: no number that is not of the padding changes by it.

    Args:
        checkpoint: an encoder-decoder.
        text: what a person typed.
        language: into which one, where the vocabulary has tokens for several.
        beams: how many beginnings are kept while searching; 1 is greedy.
        followed: which translation is watched, 0 for the best; the last one where fewer were found.
        padding: tokens of padding behind the source, at most ``MAX_PADDING``.
        top: candidates of every step, at most ``MAX_TOP``.

    Raises:
        TopOutOfRangeError: too few or too many candidates.
        SequenceTooLongError: with its padding the source has no room.
        NoAttentionError, TooManyWeightsError: as :func:`core.tasks.attend`.
        MissingHeadError, UnknownLanguageError, SamplesOutOfRangeError, EmptyTextError,
        TextTooLongError: as :func:`core.tasks.translate`.
    """
    require_attention(checkpoint)
    if not 1 <= top <= MAX_TOP:
        raise TopOutOfRangeError(top, MAX_TOP)
    if not 0 <= padding <= MAX_PADDING:
        raise ValueError(f"{padding} tokens of padding")
    passed = list(translating(checkpoint, text, language=language, beams=beams))
    last = passed[-1]
    followed = min(max(followed, 0), len(last.beams) - 1)
    pieces = last.beams[followed].pieces
    source = _source(checkpoint, last, language, padding)
    target = _read(checkpoint, pieces)
    ended = pieces[-1] == checkpoint.tokenizer.sep_id
    recurrent = checkpoint.model.recurrent
    scores: Trace | None = None
    with ExitStack() as stack:
        if recurrent:
            scores = stack.enter_context(capture((_SCORES,), keep=to_host))
        attention = attend_two_texts(
            checkpoint, TwoTexts(source, target, ended), written=True, padding=padding, logits=True
        )
    assert attention.logits is not None  # a model that has written has a head
    tree = beam_tree([one.step for one in passed])
    index_of = {node.pieces: index for index, node in enumerate(tree)}
    token = checkpoint.tokenizer.token
    return WatchedTranslation(
        encoding=last.encoding,
        source=source,
        padding=padding,
        target=target,
        steps=_steps(checkpoint, pieces, torch.tensor(attention.logits), top),
        attention=attention,
        scores=None if scores is None else read_only(scores[_SCORES][0, 0]),
        recurrent=checkpoint.config.recurrent,
        found=tuple(_found(checkpoint, beam) for beam in last.beams),
        followed=followed,
        tree=tree,
        path=tuple(index_of[pieces[: step + 1]] for step in range(len(pieces))),
        tokens=tuple(token(node.pieces[-1]) for node in tree),
        vocabulary=checkpoint.config.embedding.vocabulary,
        seconds=last.seconds,
    )


def languages(checkpoint: Checkpoint) -> tuple[str, ...]:
    """The languages that a model has a token for; nothing for one that knows one way only."""
    return tuple(languages_of(checkpoint.tokenizer))


def _source(
    checkpoint: Checkpoint, translation: Translation, language: str | None, padding: int
) -> Encoding:
    tokenizer = checkpoint.tokenizer
    source = translation.encoding
    if language is not None:
        number = languages_of(tokenizer)[language]
        source = source.after(number, tokenizer.token(number))
    limit = checkpoint.config.embedding.max_positions
    if len(source) + padding > limit:
        raise SequenceTooLongError(len(source) + padding, limit)
    return source.before(tokenizer.pad_id, tokenizer.token(tokenizer.pad_id), padding)


def _read(checkpoint: Checkpoint, pieces: Sequence[int]) -> Encoding:
    """What the decoder has read when it writes the last piece: all others, behind the start."""
    tokenizer, start = checkpoint.tokenizer, checkpoint.config.start_id
    assert start is not None  # it has written with it
    return tokenizer.decoded(pieces[:-1]).after(start, tokenizer.token(start))


@torch.inference_mode()
def _steps(
    checkpoint: Checkpoint, pieces: Sequence[int], logits: torch.Tensor, top: int
) -> tuple[WrittenPiece, ...]:
    tokenizer = checkpoint.tokenizer
    shares = logits.softmax(dim=-1)  # [token, vocabulary]
    chosen = torch.tensor(pieces)[:, None]
    given = shares.gather(-1, chosen)  # [token, 1]
    ranks = (shares > given).sum(dim=-1).tolist()
    best = shares.topk(min(top, shares.shape[-1]), dim=-1)
    steps = []
    for number, (piece, values, indices) in enumerate(
        zip(pieces, best.values.tolist(), best.indices.tolist(), strict=True)
    ):
        likeliest = (
            CandidateToken(tokenizer.token(index), value)
            for index, value in zip(indices, values, strict=True)
        )
        steps.append(
            WrittenPiece(
                token=tokenizer.token(piece),
                probability=float(given[number, 0]),
                rank=ranks[number],
                candidates=tuple(likeliest),
                text=_text(checkpoint, pieces[: number + 1]),
            )
        )
    return tuple(steps)


def _found(checkpoint: Checkpoint, beam: Beam) -> FoundTranslation:
    return FoundTranslation(_text(checkpoint, beam.pieces), beam.log_probability, beam.score)


def _text(checkpoint: Checkpoint, pieces: Sequence[int]) -> str:
    return str(checkpoint.tokenizer.inner.decode(list(pieces))).strip()
