"""Beam search: the likeliest whole texts, looked for side by side.

Texts of different lengths are compared by their log-probability divided by a power of their length,
as Hugging Face does; Wu et al. 2016, "Google's Neural Machine Translation System", section 7,
divide by ``((5 + length) / 6) ** alpha`` instead. Both are offered.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.decoding.reader import Reader

LengthPenalty = Callable[[int], float]


def by_length(alpha: float = 1.0) -> LengthPenalty:
    """Divide by ``length ** alpha``: with 1, the mean log-probability of a piece."""
    return lambda length: float(length**alpha)


def by_gnmt(alpha: float = 0.6) -> LengthPenalty:
    """Divide by ``((5 + length) / 6) ** alpha``."""
    return lambda length: float(((5 + length) / 6) ** alpha)


@dataclass(frozen=True)
class Beam:
    """A text, or the beginning of one.

    Attributes:
        pieces: what was written, an end included.
        log_probability: the sum over its pieces.
        score: the same divided by the length penalty.
        parent: index of the beam that it goes on from, in the step before.
    """

    pieces: tuple[int, ...]
    log_probability: float
    score: float
    parent: int


@dataclass(frozen=True)
class BeamStep:
    """Where the search stands after one piece more.

    Attributes:
        number: counted from 0.
        running: beginnings that go on, for every text the likeliest first.
        complete: whole texts found so far, for every text the best first.
        over: for every text, whether its search has ended.
    """

    number: int
    running: tuple[tuple[Beam, ...], ...]
    complete: tuple[tuple[Beam, ...], ...]
    over: tuple[bool, ...]


class _Search:
    """The beams of one text."""

    def __init__(self, width: int, penalty: LengthPenalty, ends: frozenset[int], most: int) -> None:
        self.width, self.penalty, self.ends, self.most = width, penalty, ends, most
        self.running = [Beam((), 0.0, 0.0, 0)]
        self.complete: list[Beam] = []
        self.over = False

    def advance(self, candidates: list[tuple[float, int, int]], last: bool) -> None:
        """Take the likeliest continuations: log-probability, parent and piece, best first.

        Twice as many as there are beams, so that enough of them are no ends; only the better half
        may complete a text.
        """
        running: list[Beam] = []
        for index, (log_probability, parent, piece) in enumerate(candidates):
            pieces = (*self.running[parent].pieces, piece)
            score = log_probability / self.penalty(len(pieces))
            beam = Beam(pieces, log_probability, score, parent)
            if piece not in self.ends and not last:
                running.append(beam)
            elif index < self.width and not self.over:
                self.complete.append(beam)
        self.running = running[: self.width]
        self.complete.sort(key=lambda beam: -beam.score)
        del self.complete[self.width :]
        self.over = self.over or last or not self.running or self._hopeless()

    def _hopeless(self) -> bool:
        """Whether the best beginning, at its present length, is no better than all that is whole.

        With a penalty that favours long texts it might still become better; Hugging Face stops
        here too.
        """
        if len(self.complete) < self.width:
            return False
        return self.running[0].score <= self.complete[-1].score


def beam_search(
    reader: Reader,
    *,
    beams: int = 4,
    most: int | Sequence[int],
    ends: Collection[int] = (),
    never: Sequence[int] = (),
    penalty: LengthPenalty | None = None,
) -> Iterator[BeamStep]:
    """Search in every row of a reader until nothing better can be hoped for.

    A consumer that stops asking stops the model. One beam is greedy writing.

    Args:
        reader: fresh, one row a text; it belongs to this stream from now on.
        beams: how many beginnings are kept of each text.
        most: pieces of the longest text, or for each text its own number.
        ends: pieces that complete a text.
        never: pieces that are not written.
        penalty: what scores are divided by; ``None`` for the length.

    Raises:
        ValueError: fewer beams than one, or not one number for each text.
        SequenceTooLongError: the model has no positions left.
    """
    if beams < 1:
        raise ValueError(f"{beams} beams")
    penalty = penalty or by_length()
    limits = [most] * reader.rows if isinstance(most, int) else list(most)
    if len(limits) != reader.rows:
        raise ValueError(f"{len(limits)} lengths for {reader.rows} texts")
    searches = [_Search(beams, penalty, frozenset(ends), limit) for limit in limits]
    live = searches

    barred = torch.tensor(never, dtype=torch.long, device=reader.device)

    def scored(ids: Tensor) -> Tensor:
        found = reader.read(ids).float().log_softmax(dim=-1)
        return found.index_fill(1, barred, -torch.inf)

    scores = scored(reader.first)  # [text, vocabulary]
    totals = scores[:, None]  # [text, beam, vocabulary], here of one beam
    for number in range(max(limits, default=0)):
        count = min(2 * beams, totals[0].numel())
        best, flat = totals.flatten(1).topk(count, dim=-1)
        vocabulary = scores.shape[-1]
        for search, values, indices in zip(live, best.tolist(), flat.tolist(), strict=True):
            found = [
                (value, index // vocabulary, index % vocabulary)
                for value, index in zip(values, indices, strict=True)
                if value > -torch.inf
            ]
            search.advance(found, last=number >= search.most - 1)
        yield BeamStep(
            number,
            running=tuple(tuple(search.running) for search in searches),
            complete=tuple(tuple(search.complete) for search in searches),
            over=tuple(search.over for search in searches),
        )
        rows = _rows(live, totals.shape[1])
        live = [search for search in live if not search.over]
        if not live:
            return
        reader.keep(torch.tensor(rows, device=reader.device))
        newest = [[_filled(search, slot).pieces[-1]] for search in live for slot in range(beams)]
        ids = torch.tensor(newest, device=reader.device)
        scores = scored(ids)
        sums = [[_sum(search, slot) for slot in range(beams)] for search in live]
        totals = torch.tensor(sums, device=reader.device)[..., None] + scores.unflatten(
            0, (len(live), beams)
        )


def _filled(search: _Search, index: int) -> Beam:
    """The beam at an index; where a tiny vocabulary gave fewer, the last one again."""
    return search.running[min(index, len(search.running) - 1)]


def _sum(search: _Search, index: int) -> float:
    running = search.running
    return running[index].log_probability if index < len(running) else -torch.inf


def _rows(live: list[_Search], width: int) -> list[int]:
    """Which rows of the reader go on, ``width`` of them for each text so far."""
    return [
        at * width + _filled(search, index).parent
        for at, search in enumerate(live)
        if not search.over
        for index in range(search.width)
    ]


def best_texts(steps: Iterable[BeamStep]) -> tuple[tuple[int, ...], ...]:
    """The pieces of the best text of every search, after all steps, ends included."""
    last = None
    for step in steps:
        last = step
    return () if last is None else tuple(found[0].pieces for found in last.complete)
