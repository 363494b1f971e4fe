"""Writing piece by piece, greedily or by sampling, as a stream of steps that can stop anywhere."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from core.decoding.reader import Reader
from core.decoding.sampling import GREEDY, Sampling, choose, next_token


class Guide(Protocol):
    """What may be written, and when a text is complete."""

    def guided(self, rows: Sequence[int], scores: Tensor) -> Tensor:
        """The scores of what comes next in the given texts, ``[row, vocabulary]``.

        Minus infinity for what may not come.
        """
        ...

    def took(self, row: int, piece: int) -> bool:
        """Learn what was written in a text; whether the text is now complete."""
        ...


class UntilEnd:
    """Everything may be written; certain pieces complete a text."""

    def __init__(self, ends: Collection[int] = ()) -> None:
        self._ends = frozenset(ends)

    def guided(self, rows: Sequence[int], scores: Tensor) -> Tensor:  # noqa: ARG002
        """The scores as they are."""
        return scores

    def took(self, row: int, piece: int) -> bool:  # noqa: ARG002
        """Whether it is an end."""
        return piece in self._ends


class CandidatePiece(NamedTuple):
    """A piece that may come next.

    Attributes:
        piece: its id.
        probability: what the model gives it among the allowed ones.
        sampling_probability: with which it is drawn, after temperature, top-k and top-p.
    """

    piece: int
    probability: float
    sampling_probability: float


@dataclass(frozen=True)
class Step:
    """One piece more in every text that is not complete.

    Attributes:
        number: counted from 0.
        rows: the texts, by their number; everything else has one entry for each of them.
        chosen: what was written.
        complete: whether the text is now.
        candidates: the likeliest pieces, the likeliest first, and the chosen one last where it is
            none of them; empty unless asked for.
    """

    number: int
    rows: tuple[int, ...]
    chosen: tuple[int, ...]
    complete: tuple[bool, ...]
    candidates: tuple[tuple[CandidatePiece, ...], ...]


def write(
    reader: Reader,
    *,
    most: int,
    sampling: Sampling = GREEDY,
    generator: torch.Generator | None = None,
    guide: Guide | None = None,
    top: int = 0,
) -> Iterator[Step]:
    """Write on in every row of a reader until all texts are complete.

    A consumer that stops asking stops the model: nothing is computed ahead.

    Args:
        reader: fresh; it belongs to this stream from now on.
        most: pieces of the longest text.
        sampling: how pieces are chosen.
        generator: of all random draws.
        guide: what may be written; ``None`` for anything without an end.
        top: how many candidates each step tells.

    Raises:
        SequenceTooLongError: the model has no positions left.
    """
    guide = UntilEnd() if guide is None else guide
    rows = list(range(reader.rows))
    ids = reader.first
    for number in range(most):
        scores = guide.guided(rows, reader.read(ids))  # [row, vocabulary]
        chosen = choose(scores, sampling, generator)
        pieces = chosen.tolist()
        complete = [guide.took(row, piece) for row, piece in zip(rows, pieces, strict=True)]
        yield Step(
            number=number,
            rows=tuple(rows),
            chosen=tuple(pieces),
            complete=tuple(complete),
            candidates=_candidates(scores, sampling, chosen, top) if top else (),
        )
        ids = chosen[:, None]
        if any(complete):
            left = [index for index, over in enumerate(complete) if not over]
            if not left:
                return
            rows = [rows[index] for index in left]
            kept = torch.tensor(left, device=ids.device)
            reader.keep(kept)
            ids = ids[kept]


def _candidates(
    scores: Tensor, sampling: Sampling, chosen: Tensor, top: int
) -> tuple[tuple[CandidatePiece, ...], ...]:
    probabilities = scores.float().softmax(dim=-1)
    best = probabilities.topk(min(top, probabilities.shape[-1]), dim=-1).indices
    shown = torch.cat([best, chosen[:, None]], dim=-1)
    sampling_probabilities = next_token(scores, sampling).gather(-1, shown).tolist()
    given = probabilities.gather(-1, shown).tolist()
    rows = [
        [CandidatePiece(*one) for one in zip(*row, strict=True)]
        for row in zip(shown.tolist(), given, sampling_probabilities, strict=True)
    ]
    return tuple(
        tuple(
            one
            for one in (*others, *([] if last in others else [last]))
            if one.probability > 0  # the others are not allowed
        )
        for *others, last in rows
    )


def texts_of(steps: Iterable[Step]) -> tuple[tuple[int, ...], ...]:
    """The pieces of every text after all steps, ends included."""
    texts: dict[int, list[int]] = {}
    for step in steps:
        for row, piece in zip(step.rows, step.chosen, strict=True):
            texts.setdefault(row, []).append(piece)
    return tuple(tuple(texts[row]) for row in sorted(texts))
